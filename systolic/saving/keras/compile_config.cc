#include "systolic/saving/keras/compile_config.h"

#include <algorithm>
#include <map>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/saving/keras/keras_values.h"
#include "systolic/train/model/model_access.h"

namespace systolic::inline v0 {
namespace saving {
namespace {

// Entries that this library has no field for, and the values (JSON) at which they say nothing.
struct SilentEntry {
  std::string_view name, value;
};
constexpr SilentEntry silent_of_optimizers[] = {{"jit_compile", "*"}, {"is_legacy_optimizer", "*"}};
constexpr SilentEntry silent_of_measures[] = {{"fn", "*"}, {"multi_label", "false"}};
constexpr std::string_view clipping_entries[] = {"clipnorm", "global_clipnorm", "clipvalue"};

template <class Entries>
bool is_silent(const Entries& entries, const std::string& name, const Config& value) {
  return std::any_of(std::begin(entries), std::end(entries), [&](const SilentEntry& one) {
    return one.name == name && (one.value == "*" || one.value == value.text());
  });
}

Config with_fields(const Config& class_name, Config values) {
  Config result;
  result.set("class_name", class_name);
  result.set("config", values.is_null() ? Config(Config::Map{}) : std::move(values));
  return result;
}

Config optimizer_to_keras(const Config& ours) {
  Config values;
  if (ours["class_name"] == Config("MultiOptimizer"))
    raise<Unimplemented>({.what = "Keras's files of a MultiOptimizer"});
  for (const auto& [name, value] : ours["config"].map()) {
    if (name == "inner_optimizer") {
      values.set(name, optimizer_to_keras(value));
    } else if (name == "clipping") {
      for (const auto& [entry, limit] : value.map()) values.set(entry, limit);
    } else if (name == "learning_rate" && value.is_map()) {
      values.set(name, keras_object("keras.optimizers.schedules", value["class_name"].text_value(),
                                    value["config"]));
    } else if (name == "gradient_accumulation_steps") {
      values.set(name, value.integer() > 1 ? value : Config());
    } else if (name == "lazy_rows" || name == "exclude_from_weight_decay") {
      if (value == Config(false) || (value.is_list() && value.list().empty())) continue;
      raise<Unimplemented>({.what = str("Keras's files have no ", name)});
    } else {
      values.set(name, value);
    }
  }
  return keras_object("keras.optimizers", ours["class_name"].text_value(), std::move(values));
}

// Schedules have no name here.
Config without_name(const Config& schedule) {
  Config values;
  for (const auto& [name, value] : schedule.map()) {
    if (name != "name") values.set(name, value);
  }
  return values;
}

Config optimizer_from_keras(const Config& object) {
  if (object.is_text()) return object;
  Config values, clipping;
  for (const auto& [name, value] : object["config"].map()) {
    const bool clips = std::find(std::begin(clipping_entries), std::end(clipping_entries), name) !=
                       std::end(clipping_entries);
    if (name == "inner_optimizer") {
      values.set(name, optimizer_from_keras(value));
    } else if (clips) {
      clipping.set(name, value);
    } else if (name == "learning_rate" && value.is_map()) {
      values.set(name, with_fields(value["class_name"], without_name(value["config"])));
    } else if (name == "gradient_accumulation_steps") {
      values.set(name, value.is_null() ? Config(1) : value);
    } else if (!is_silent(silent_of_optimizers, name, value)) {
      values.set(name, value);
    }
  }
  if (!clipping.is_null()) values.set("clipping", std::move(clipping));
  return with_fields(object["class_name"], std::move(values));
}

// A loss or a metric: a name, or an object of `module`.
Config measure_to_keras(std::string_view module, const Config& ours) {
  if (ours.is_text()) return ours;
  return keras_object(module, ours["class_name"].text_value(), ours["config"]);
}

Config measure_from_keras(const Config& value) {
  if (value.is_text()) return value;
  if (value["class_name"] == Config("function")) return value["config"];
  Config values;
  for (const auto& [name, entry] : value["config"].map()) {
    const bool policy = name == "dtype" && entry.is_map();
    const Config read = policy ? Config(dtype_policy_name(entry)) : entry;
    if (read.is_null() || is_silent(silent_of_measures, name, read)) continue;
    values.set(name, read);
  }
  return with_fields(value["class_name"], std::move(values));
}

Config loss_from_keras(const Config& value) {
  Config config = measure_from_keras(value);
  if (config.is_text()) return config;
  Config values{Config::Map{}};
  for (const auto& [name, entry] : config["config"].map()) {
    if (name != "dtype") values.set(name, entry);
  }
  return with_fields(config["class_name"], std::move(values));
}

std::vector<std::string> outputs_of(const Model& model) {
  std::vector<std::string> names;
  for (const NetworkPort& port : model.network().output_ports()) names.push_back(port.name);
  return names;
}

// One for each output: of a list they stand in order, of a map under the outputs' names.
std::vector<Config> for_outputs(const Config& value, const std::vector<std::string>& outputs) {
  std::vector<Config> result(outputs.size());
  if (value.is_list()) {
    if (value.list().size() != outputs.size()) {
      raise<InvalidArgument>({.what = str("compile_config: ", value.list().size(), " values for ",
                                          outputs.size(), " outputs")});
    }
    return value.list();
  }
  for (const auto& [name, one] : value.map()) {
    const auto found = std::find(outputs.begin(), outputs.end(), name);
    if (found == outputs.end())
      raise<InvalidArgument>({.what = str("compile_config names an output '", name, "'")});
    result[static_cast<size_t>(found - outputs.begin())] = one;
  }
  return result;
}

bool is_object(const Config& value) {
  return value.is_map() && value.find("class_name") != nullptr;
}

ModelLoss read_loss(const Config& value, const std::vector<std::string>& outputs) {
  if (value.is_null()) return {};
  if (value.is_text() || is_object(value)) return LossFunction::from_config(loss_from_keras(value));
  std::vector<LossFunction> losses;
  for (const Config& one : for_outputs(value, outputs)) {
    if (one.is_null()) raise<Unimplemented>({.what = "an output without a loss"});
    losses.push_back(LossFunction::from_config(loss_from_keras(one)));
  }
  return ModelLoss(std::move(losses));
}

std::vector<Metric> read_list(const Config& value) {
  std::vector<Metric> metrics;
  if (value.is_null()) return metrics;
  const Config::List items = value.is_list() ? value.list() : Config::List{value};
  for (const Config& one : items) metrics.push_back(Metric::from_config(measure_from_keras(one)));
  return metrics;
}

ModelMetrics read_metrics(const Config& value, const std::vector<std::string>& outputs) {
  if (value.is_null()) return {};
  if (outputs.size() == 1 && value.is_list()) return read_list(value);
  std::vector<OutputMetrics> by_output;
  const std::vector<Config> each = for_outputs(value, outputs);
  for (size_t i = 0; i < each.size(); ++i) {
    OutputMetrics one(outputs[i], std::initializer_list<Metric>{});
    one.metrics = read_list(each[i]);
    if (!one.metrics.empty()) by_output.push_back(std::move(one));
  }
  return ModelMetrics(std::move(by_output));
}

// A list for a model of one output, else a list of lists; null without any.
Config metrics_to_keras(const Compiled& compiled, bool weighted, size_t outputs,
                        const std::function<void(const std::function<void()>&)>& within) {
  std::vector<Config::List> each(outputs);
  bool any = false;
  for (const OutputMetric& one : compiled.metrics) {
    if (one.weighted != weighted) continue;
    within([&] {
      each.at(one.output).push_back(measure_to_keras("keras.metrics", one.metric.get_config()));
    });
    any = true;
  }
  if (!any) return {};
  if (outputs == 1) return each.front();
  Config::List lists;
  for (Config::List& one : each) lists.push_back(std::move(one));
  return lists;
}

}  // namespace

Config compile_to_keras(const Model& model, std::vector<std::string>& problems) {
  const ModelView view = view_of(model);
  const Compiled& compiled = view.compiled();
  const size_t outputs = model.network().output_ports().size();
  const auto within = [&](const std::function<void()>& body) {
    try {
      body();
    } catch (const Error& error) {
      problems.push_back(error.report().what);
    }
  };
  Config result;
  within([&] { result.set("optimizer", optimizer_to_keras(compiled.optimizer->get_config())); });
  Config::List losses, weights;
  if (!compiled.takes_own_loss) {
    for (const std::optional<LossFunction>& loss : compiled.losses) {
      losses.emplace_back();  // null for an output without a loss
      if (loss)
        within([&] { losses.back() = measure_to_keras("keras.losses", loss->get_config()); });
    }
  }
  for (const double weight : compiled.loss_weights) weights.push_back(weight);
  result.set("loss", losses.empty()       ? Config()
                     : losses.size() == 1 ? losses.front()
                                          : Config(losses));
  result.set("loss_weights", weights.empty() ? Config() : Config(weights));
  result.set("metrics", metrics_to_keras(compiled, false, outputs, within));
  result.set("weighted_metrics", metrics_to_keras(compiled, true, outputs, within));
  result.set("run_eagerly", compiled.run_eagerly);
  result.set("steps_per_execution", compiled.steps_per_execution);
  result.set("jit_compile", true);
  return result;
}

void compile_from_keras(Model& model, const Config& config, SourceLocation location) {
  const ErrorScope scope("compile_config", location);
  const std::vector<std::string> outputs = outputs_of(model);
  const auto entry = [&](std::string_view name) {
    const Config* value = config.find(name);
    return value == nullptr ? Config() : *value;
  };
  CompileOptions options;
  options.auto_scale_loss = false;  // the file has the optimizer that was made so
  options.optimizer = Optimizer::from_config(optimizer_from_keras(config["optimizer"]), location);
  options.loss = read_loss(entry("loss"), outputs);
  options.metrics = read_metrics(entry("metrics"), outputs);
  options.weighted_metrics = read_metrics(entry("weighted_metrics"), outputs);
  if (const Config weights = entry("loss_weights"); !weights.is_null()) {
    std::vector<double> values;
    for (const Config& one : for_outputs(weights, outputs)) values.push_back(one.number());
    options.loss_weights = values;
  }
  if (const Config steps = entry("steps_per_execution"); steps.is_integer())
    options.steps_per_execution = std::clamp<int64_t>(steps.integer(), 1, 1'000'000);
  if (const Config eagerly = entry("run_eagerly"); eagerly.is_boolean())
    options.run_eagerly = eagerly.boolean();
  model.compile(std::move(options), location);
}

}  // namespace saving
}  // namespace systolic::inline v0
