#include "systolic/train/step/metric_totals.h"

#include <string>
#include <utility>
#include <vector>

#include "systolic/base/text.h"
#include "systolic/train/step/step_metrics.h"

namespace systolic::inline v0 {
namespace {

using NamedTotals = std::vector<std::pair<std::string, Variable>>;

NamedTotals named_totals(const ModelState& model) {
  const Compiled& compiled = model.compiled();
  std::vector<Metric> metrics{compiled.loss_metric};
  metrics.insert(metrics.end(), compiled.output_losses.begin(), compiled.output_losses.end());
  for (const OutputMetric& one : compiled.metrics) metrics.push_back(one.metric);
  for (const Metric& one : layer_metrics(model)) metrics.push_back(one);
  NamedTotals totals;
  for (size_t i = 0; i < metrics.size(); ++i) {
    // By name: which total is made first is another for a step than for a result that is read.
    for (const Variable& variable : metrics[i].variables())
      totals.emplace_back(str(i, ".", variable.name()), variable);
  }
  return totals;
}

}  // namespace

Example metric_totals(const ModelState& model) {
  Example::Components arrays;
  for (const auto& [name, variable] : named_totals(model))
    arrays.push_back({name, variable.literal()});
  return Example(std::move(arrays));
}

bool load_metric_totals(ModelState& model, const Example& totals) {
  const NamedTotals variables = named_totals(model);
  if (variables.size() != totals.size()) return false;
  for (const auto& [name, variable] : variables) {
    const Literal* value = totals.find(name);
    if (value == nullptr || value->dtype() != variable.dtype() ||
        value->shape() != variable.shape())
      return false;
  }
  for (const auto& [name, variable] : variables) variable.set(totals[name]);
  return true;
}

}  // namespace systolic::inline v0
