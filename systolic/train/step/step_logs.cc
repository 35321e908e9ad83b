#include "systolic/train/step/step_logs.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/trace/program/program.h"
#include "systolic/train/state/model_view.h"
#include "systolic/train/step/step_metrics.h"

namespace systolic::inline v0 {
namespace {

std::string log_name(const ModelState& model, const OutputMetric& one) {
  if (!one.named_after_output) return one.metric.name();
  return str(model.network().output_ports().at(one.output).name, "_", one.metric.name());
}

// A name that is taken gets, as in Keras, "weighted_" in front where the metric counts sample
// weights, else a number.
std::string free_name(const ModelState& model, const OutputMetric& one,
                      const std::vector<std::string>& taken) {
  const auto is_taken = [&](const std::string& name) {
    return std::find(taken.begin(), taken.end(), name) != taken.end();
  };
  std::string name = log_name(model, one);
  if (is_taken(name) && one.weighted) name = "weighted_" + name;
  std::string numbered = name;
  for (int number = 1; is_taken(numbered); ++number) numbered = str(name, "_", number);
  return numbered;
}

double single_value(const ModelState& model, const Literal& value, const std::string& metric) {
  if (value.size() == 1) return value.number_at(0);
  raise<InvalidArgument>(
      {.what = str("metric '", metric, "' gives ", value.size(), " values"),
       .wanted = "one, to stand in logs",
       .hint = "give compile a metric for each threshold, and an F1Score an .average",
       .location = model.compiled().at});
}

std::vector<std::string> metric_names(const ModelState& model) {
  std::vector<std::string> names{"loss"};
  for (const Metric& loss : model.compiled().output_losses) names.push_back(loss.name());
  for (const OutputMetric& one : model.compiled().metrics)
    names.push_back(free_name(model, one, names));
  for (const std::string& name : model.network().metric_names()) names.push_back(name);
  return names;
}

std::vector<std::string> log_names(const ModelState& model) {
  const BoundStep* own = model.compiled().own_step(model.compiled().logged);
  if (own == nullptr) return metric_names(model);
  std::vector<std::string> names;
  for (const auto& [name, variable] : own->logs) names.push_back(name);
  return names;
}

std::vector<Tensor> logged_tensors(const ModelState& model) {
  std::vector<Tensor> results;
  const BoundStep* own = model.compiled().own_step(model.compiled().logged);
  if (own == nullptr) {
    for (auto& [name, value] : metric_results(model)) results.push_back(std::move(value));
    return results;
  }
  for (const auto& [name, variable] : own->logs) results.push_back(variable.value());
  return results;
}

// Under the model's lock.
LogReader make_log_reader(const ModelState& model) {
  LogReader reader;
  reader.names = log_names(model);
  auto body = [&](const std::vector<Tensor>&) { return logged_tensors(model); };
  try {
    reader.program = std::make_shared<Program>(std::vector<ProgramParameter>{}, body,
                                               ProgramOptions{.name = "read_metrics"});
  } catch (const Error& error) {
    error.rethrow_within("", model.compiled().at);  // what metrics give is for compile() to name
  }
  return reader;
}

// A metric may make its totals in the first update: what was read before is another program.
size_t totals_of(const ModelState& model) {
  size_t totals = 0;
  for (const OutputMetric& one : model.compiled().metrics) totals += one.metric.variables().size();
  for (const Metric& one : layer_metrics(model)) totals += 1 + one.variables().size();
  const BoundStep* own = model.compiled().own_step(model.compiled().logged);
  return totals + (own != nullptr ? own->logs.size() : 0);
}

LogReader log_reader(ModelState& model) {
  const ModelView held(model);
  return model.log_reader(totals_of(model), [&] { return make_log_reader(model); });
}

}  // namespace

Logs read_logs(ModelState& model) {
  const LogReader reader = log_reader(model);
  const auto results = reader.program->run({});
  Logs logs;
  for (size_t i = 0; i < results.size(); ++i) {
    const std::string& name = reader.names[i];
    logs.emplace_back(name, single_value(model, results[i]->to_literal(), name));
  }
  return logs;
}

// What a step of the user's own logs is known once it is traced: until then it may be any name.
bool is_logged(const ModelState& model, std::string_view name) {
  if (const BoundStep* own = model.compiled().own_step(StepKind::train)) {
    return own->logs.empty() || std::any_of(own->logs.begin(), own->logs.end(),
                                            [&](const auto& one) { return one.first == name; });
  }
  const std::vector<std::string> names = metric_names(model);
  return std::find(names.begin(), names.end(), name) != names.end();
}

LogDirection log_direction(const ModelState& model, std::string_view name) {
  constexpr std::string_view validation = "val_";
  const std::vector<std::string> names = metric_names(model);
  auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end() && name.starts_with(validation))
    found = std::find(names.begin(), names.end(), name.substr(validation.size()));
  if (found == names.end()) return {};
  const size_t i = static_cast<size_t>(found - names.begin()),
               losses = 1 + model.compiled().output_losses.size();
  if (i < losses) return {true, false};
  if (i - losses >= model.compiled().metrics.size()) return {true, {}};  // a layer's
  return {true, model.compiled().metrics[i - losses].metric.larger_is_better()};
}

Logs unknown_logs(const ModelState& model) {
  Logs logs;
  for (std::string& name : log_names(model))
    logs.emplace_back(std::move(name), std::numeric_limits<double>::quiet_NaN());
  return logs;
}

StepLogs metric_results(const ModelState& model) {
  std::vector<Tensor> values{model.compiled().loss_metric.result()};
  for (const Metric& loss : model.compiled().output_losses) values.push_back(loss.result());
  for (const OutputMetric& one : model.compiled().metrics) values.push_back(one.metric.result());
  for (const Metric& one : layer_metrics(model)) values.push_back(one.result());
  StepLogs results;
  std::vector<std::string> names = metric_names(model);
  for (size_t i = 0; i < values.size(); ++i)
    results.emplace_back(std::move(names[i]), std::move(values[i]));
  return results;
}

void reset_logs(ModelState& model, StepKind kind) {
  const ModelView held(model);
  model.log_steps_of(kind);
  for (const Metric& one : model.compiled().step_metrics) one.reset_state();
  model.compiled().loss_metric.reset_state();
  for (const Metric& loss : model.compiled().output_losses) loss.reset_state();
  for (const OutputMetric& one : model.compiled().metrics) one.metric.reset_state();
  for (const Metric& one : layer_metrics(model)) one.reset_state();
}

}  // namespace systolic::inline v0
