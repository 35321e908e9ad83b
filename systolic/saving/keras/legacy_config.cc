#include "systolic/saving/keras/legacy_config.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/nn/network/layer_kinds.h"
#include "systolic/saving/keras/keras_values.h"

namespace systolic::inline v0 {
namespace saving {
namespace {

constexpr int deepest_legacy = 50;  // networks in each other

struct Renamed {
  std::string_view old_name, name;
};

constexpr Renamed renamed_kinds[] = {
    {"Model", "Functional"},
    {"BatchNormalizationV1", "BatchNormalization"},
    {"BatchNormalizationV2", "BatchNormalization"},
    {"Convolution1D", "Conv1D"},
    {"Convolution2D", "Conv2D"},
    {"Convolution3D", "Conv3D"},
    {"Deconvolution2D", "Conv2DTranspose"},
    {"SeparableConvolution2D", "SeparableConv2D"},
};

// Keras 1's names of layers' options; "lr" is an optimizer's.
constexpr Renamed renamed_entries[] = {
    {"output_dim", "units"},
    {"nb_filter", "filters"},
    {"filter_length", "kernel_size"},
    {"subsample", "strides"},
    {"subsample_length", "strides"},
    {"border_mode", "padding"},
    {"dim_ordering", "data_format"},
    {"bias", "use_bias"},
    {"p", "rate"},
    {"init", "kernel_initializer"},
    {"W_regularizer", "kernel_regularizer"},
    {"b_regularizer", "bias_regularizer"},
    {"W_constraint", "kernel_constraint"},
    {"b_constraint", "bias_constraint"},
    {"inner_init", "recurrent_initializer"},
    {"inner_activation", "recurrent_activation"},
    {"U_regularizer", "recurrent_regularizer"},
    {"gamma_init", "gamma_initializer"},
    {"beta_init", "beta_initializer"},
    {"lr", "learning_rate"},
};

// Names that changed in one kind of layer alone.
struct RenamedOf {
  std::string_view kind, old_name, name;
};
constexpr RenamedOf renamed_of_kinds[] = {{"LeakyReLU", "alpha", "negative_slope"}};

// Entries that say nothing to this library at any value.
constexpr std::string_view dropped_entries[] = {"batch_input_shape", "input_dtype", "input_dim",
                                                "input_length", "consume_less"};
// At these values (JSON) alone.
struct SilentValue {
  std::string_view name, value;
};
constexpr SilentValue silent_values[] = {
    {"time_major", "false"}, {"decay", "0.0"},    {"decay", "0"}, {"implementation", "1"},
    {"implementation", "2"}, {"weights", "null"}, {"mode", "0"},
};

template <class Rows>
std::string modern_name(const Rows& rows, std::string_view name) {
  for (const Renamed& row : rows) {
    if (row.old_name == name) return std::string(row.name);
  }
  return std::string(name);
}

bool is_dropped(std::string_view name, const Config& value) {
  if (std::count(std::begin(dropped_entries), std::end(dropped_entries), name) > 0) return true;
  return std::any_of(
      std::begin(silent_values), std::end(silent_values),
      [&](const SilentValue& row) { return row.name == name && row.value == value.text(); });
}

bool is_network_kind(const std::string& kind) {
  return kind == "Sequential" || kind == "Functional" || kind == "Model";
}

// The map with another value under the name, in its place.
Config with(const Config& map, std::string_view name, const Config& value) {
  Config result{Config::Map{}};
  bool found = false;
  for (const auto& [entry, old] : map.map()) {
    result.set(entry, entry == name ? value : old);
    found |= entry == name;
  }
  if (!found) result.set(std::string(name), value);
  return result;
}

Config without(const Config& map, std::initializer_list<std::string_view> names) {
  Config result{Config::Map{}};
  for (const auto& [name, value] : map.map()) {
    if (std::count(names.begin(), names.end(), name) == 0) result.set(name, value);
  }
  return result;
}

// Keras 1 had "glorot_uniform" and "tf" where there are objects and "channels_last" now.
Config modern_value(const std::string& kind, const std::string& name, const Config& value) {
  const bool is_initializer = name.ends_with("initializer");
  if (value.is_map() && value.find("class_name") != nullptr && value.find("module") == nullptr &&
      (is_initializer || name.ends_with("regularizer"))) {
    return with(value, "module", is_initializer ? "keras.initializers" : "keras.regularizers");
  }
  if (name == "data_format" && value == Config("tf")) return "channels_last";
  if (name == "data_format" && value == Config("th")) return "channels_first";
  const bool is_batch_axis = kind == "BatchNormalization" && name == "axis";
  if (is_batch_axis && value.is_list() && value.list().size() == 1) return value.list().front();
  return value;
}

// Names that were given up elsewhere: Embedding still has "output_dim".
std::vector<std::string> kept_names(const std::string& kind) {
  return is_layer_kind(kind) ? layer_kind(kind).fields : std::vector<std::string>{};
}

Config modern_entries(const std::string& kind, const Config& old) {
  const std::vector<std::string> kept = kept_names(kind);
  Config values{Config::Map{}};
  for (const auto& [old_name, value] : old.map()) {
    if (std::count(kept.begin(), kept.end(), old_name) > 0) {
      values.set(old_name, modern_value(kind, old_name, value));
      continue;
    }
    if (is_dropped(old_name, value) || old_name == "nb_row" || old_name == "nb_col") continue;
    std::string name = modern_name(renamed_entries, old_name);
    for (const RenamedOf& row : renamed_of_kinds) {
      if (row.kind == kind && row.old_name == name) name = row.name;
    }
    values.set(name, modern_value(kind, name, value));
  }
  const Config *rows = old.find("nb_row"), *columns = old.find("nb_col");
  if (rows != nullptr && columns != nullptr)
    values.set("kernel_size", Config::List{*rows, *columns});
  return values;
}

// ["dense", 0, 0], with what else the call was given after it.
bool is_place(const Config& value) {
  return value.is_list() && value.list().size() >= 3 && value.list()[0].is_text() &&
         value.list()[1].is_integer() && value.list()[2].is_integer();
}

Config tensor_at(const Config& place) {
  const Config::List& entries = place.list();
  Config values, tensor;
  values.set("keras_history", Config::List{entries[0], entries[1], entries[2]});
  tensor.set("class_name", "__keras_tensor__");
  tensor.set("config", std::move(values));
  return tensor;
}

// [["dense", 0, 0, {}], ["dense_1", 0, 0, {}]]: the inputs of one call.
Config modern_call(const Config& call) {
  if (call.is_map()) return call;
  Config::List tensors;
  Config kwargs{Config::Map{}};
  const Config::List places = is_place(call) ? Config::List{call} : call.list();
  for (const Config& place : places) {
    if (!is_place(place)) {
      raise<InvalidArgument>({.what = str("a call of a layer with ", place.text()),
                              .wanted = "[layer, call, output, arguments]"});
    }
    tensors.push_back(tensor_at(place));
    if (place.list().size() < 4) continue;
    for (const auto& [name, value] : place.list()[3].map())
      kwargs.set(name, is_place(value) ? tensor_at(value) : value);
  }
  Config result;
  result.set("args", tensors.size() == 1 ? tensors : Config::List{tensors});
  result.set("kwargs", std::move(kwargs));
  return result;
}

// The input that the first layer of a chain says, as a layer of its own.
std::optional<Config> input_of(const Config& layer) {
  const Config& values = layer["config"];
  const Config* shape = values.find("batch_input_shape");
  if (shape == nullptr || layer["class_name"] == Config("InputLayer")) return std::nullopt;
  const Config* name = values.find("name");
  const Config* dtype = values.find("input_dtype");
  Config input_values, input;
  input_values.set("batch_shape", *shape);
  if (dtype != nullptr) {
    input_values.set("dtype", *dtype);
  } else if (layer["class_name"] == Config("Embedding")) {
    input_values.set("dtype", "int32");
  }
  input_values.set("name", str(name == nullptr ? "first" : name->text_value(), "_input"));
  input.set("class_name", "InputLayer");
  input.set("config", std::move(input_values));
  return input;
}

Config modern_layer(const Config& old, int depth);

Config modern_layers(const std::string& kind, const Config& layers, int depth) {
  Config::List result;
  for (const Config& layer : layers.list()) {
    if (kind == "Sequential" && result.empty()) {
      if (const std::optional<Config> input = input_of(layer)) result.push_back(*input);
    }
    result.push_back(modern_layer(layer, depth));
  }
  return result;
}

Config modern_graph(const Config& old, int depth) {
  if (depth > deepest_legacy)
    raise<InvalidArgument>({.what = str("more than ", deepest_legacy, " networks in each other")});
  const std::string kind = modern_name(renamed_kinds, old["class_name"].text_value());
  const Config& values = old["config"];
  Config result = without(old, {"class_name", "config"}), modern;
  if (values.is_list()) {  // Keras 1, and 2 before 2.2.3
    modern.set("layers", modern_layers(kind, values, depth));
  } else {
    for (const auto& [name, value] : values.map())
      modern.set(name, name == "layers" ? modern_layers(kind, value, depth) : value);
  }
  result.set("class_name", kind);
  result.set("config", std::move(modern));
  return result;
}

Config modern_layer(const Config& old, int depth) {
  const std::string& kind = old["class_name"].text_value();
  Config result;
  if (is_network_kind(kind)) {
    result = modern_graph(old, depth + 1);
  } else if (old.find("module") != nullptr || kind == "InputLayer") {
    result = old;
  } else {
    result = without(old, {"class_name", "config"});
    const std::string modern_kind = modern_name(renamed_kinds, kind);
    Config values = modern_entries(modern_kind, old["config"]);
    // A layer around another: Bidirectional, TimeDistributed.
    for (const char* inner : {"layer", "backward_layer"}) {
      const Config* one = values.find(inner);
      if (one != nullptr && one->is_map())
        values = with(values, inner, modern_layer(*one, depth + 1));
    }
    result.set("class_name", modern_kind);
    result.set("config", std::move(values));
  }
  const Config* calls = old.find("inbound_nodes");
  if (calls == nullptr) return result;
  Config::List modern;
  for (const Config& call : calls->list()) modern.push_back(modern_call(call));
  return with(result, "inbound_nodes", std::move(modern));
}

// A loss, a metric or a list of them: Keras 2 wrapped functions in an object, and said "auto" where
// the mean over the batch is meant.
Config modern_measure(const Config& value) {
  if (value.is_list()) {
    Config::List items;
    for (const Config& item : value.list()) items.push_back(modern_measure(item));
    return items;
  }
  if (!value.is_map()) return value;
  const Config* kind = value.find("class_name");
  if (kind == nullptr) {
    Config by_output{Config::Map{}};
    for (const auto& [name, one] : value.map()) by_output.set(name, modern_measure(one));
    return by_output;
  }
  const Config& values = value["config"];
  const Config *function = values.find("fn"), *name = values.find("name");
  const bool wraps = *kind == Config("MeanMetricWrapper") || *kind == Config("LossFunctionWrapper");
  if (wraps && function != nullptr && function->is_text()) {
    const bool is_short =
        name != nullptr && (*name == Config("accuracy") || *name == Config("acc"));
    return is_short ? *name : *function;
  }
  const Config* reduction = values.find("reduction");
  if (reduction == nullptr || !(*reduction == Config("auto"))) return value;
  return with(value, "config", with(values, "reduction", "sum_over_batch_size"));
}

// Keras 2 had the metrics of a model's only output in a list of their own.
Config modern_metrics(const Config& value) {
  const Config modern = modern_measure(value);
  const bool wrapped =
      modern.is_list() && modern.list().size() == 1 && modern.list().front().is_list();
  return wrapped ? modern.list().front() : modern;
}

Config modern_optimizer(const Config& optimizer) {
  if (!optimizer.is_map() || optimizer.find("config") == nullptr) return optimizer;
  constexpr std::string_view registered = "Custom>";  // tf_keras's own are so
  std::string kind = optimizer["class_name"].text_value();
  if (kind.starts_with(registered)) kind.erase(0, registered.size());
  const Config values = modern_entries(kind, optimizer["config"]);
  return with(with(optimizer, "config", values), "class_name", kind);
}

Config legacy_layer(const Config& layer) {
  Config result = without(layer, {"module", "registered_name", "build_config"});
  return is_network_kind(layer["class_name"].text_value())
             ? with(result, "config", legacy_network(layer)["config"])
             : result;
}

}  // namespace

Config modern_network(const Config& network) { return modern_graph(network, 0); }

Config modern_compile_config(const Config& training) {
  Config result;
  for (const auto& [name, value] : training.map()) {
    if (name == "optimizer_config") {
      result.set("optimizer", modern_optimizer(value));
    } else if (name == "loss") {
      result.set(name, modern_measure(value));
    } else if (name == "metrics" || name == "weighted_metrics") {
      result.set(name, modern_metrics(value));
    } else if (name != "sample_weight_mode") {
      result.set(name, value);
    }
  }
  return result;
}

Config legacy_network(const Config& network) {
  Config result;
  Config::List layers;
  for (const Config& layer : network["config"]["layers"].list())
    layers.push_back(legacy_layer(layer));
  result.set("class_name", network["class_name"]);
  result.set("config", with(network["config"], "layers", std::move(layers)));
  return result;
}

Config legacy_training_config(const Config& compile_config) {
  Config result;
  for (const auto& [name, value] : compile_config.map()) {
    if (name == "optimizer") continue;
    result.set(name, value);
  }
  result.set("optimizer_config",
             without(compile_config["optimizer"], {"module", "registered_name"}));
  return result;
}

}  // namespace saving
}  // namespace systolic::inline v0
