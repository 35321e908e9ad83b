#include "systolic/train/step_logs.h"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/trace/program.h"

namespace systolic::inline v0 {
namespace {

std::string log_name(const ModelState& model, const OutputMetric& one) {
  if (!one.named_after_output) return one.metric.name();
  return str(model.network.output_ports().at(one.output).name, "_", one.metric.name());
}

double single_value(const Literal& value, const std::string& metric) {
  if (value.size() == 1) return value.number_at(0);
  raise<InvalidArgument>({.what = str("metric '", metric, "' gives ", value.size(), " values"),
                          .wanted = "one, to stand in logs",
                          .hint = "give compile a metric for each threshold"});
}

// Under programs_mutex.
LogReader make_log_reader(const ModelState& model) {
  LogReader reader;
  reader.names.push_back("loss");
  for (const OutputMetric& one : model.metrics) reader.names.push_back(log_name(model, one));
  auto body = [&](const std::vector<Tensor>&) {
    std::vector<Tensor> results{model.loss_metric.result()};
    for (const OutputMetric& one : model.metrics) results.push_back(one.metric.result());
    return results;
  };
  reader.program = std::make_shared<Program>(std::vector<ProgramParameter>{}, body,
                                             ProgramOptions{.name = "read_metrics"});
  return reader;
}

LogReader log_reader(ModelState& model) {
  const std::lock_guard lock(model.programs_mutex);
  if (!model.log_reader.program) model.log_reader = make_log_reader(model);
  return model.log_reader;
}

}  // namespace

Logs read_logs(ModelState& model) {
  const LogReader reader = log_reader(model);
  const auto results = reader.program->run({});
  Logs logs;
  for (size_t i = 0; i < results.size(); ++i) {
    const std::string& name = reader.names[i];
    logs.emplace_back(name, single_value(results[i]->to_literal(), name));
  }
  return logs;
}

void reset_logs(ModelState& model) {
  const std::lock_guard lock(model.programs_mutex);
  model.loss_metric.reset_state();
  for (const OutputMetric& one : model.metrics) one.metric.reset_state();
}

}  // namespace systolic::inline v0
