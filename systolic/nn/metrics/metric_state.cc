#include "systolic/nn/metrics/metric_state.h"

#include "systolic/base/error.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

MetricState::MetricState(std::string name, DType dtype) : name_(std::move(name)), dtype_(dtype) {
  if (dtype == DType::f32 || dtype == DType::f64) return;
  raise<InvalidArgument>({.what = str("metric '", name_, "' of dtype ", to_string(dtype)),
                          .wanted = "f32 or f64: totals of fewer digits would stop counting"});
}

Variable MetricState::total(std::string_view name, const Shape& shape) {
  if (const std::optional<Variable> known = find(name)) {
    if (known->shape() == shape) return *known;
    raise<InvalidArgument>({.what = str("metric '", name_, "' needs '", name, "' of shape ", shape),
                            .got = str("shape ", known->shape(), " in an earlier batch")});
  }
  const Variable made(dtype_, shape,
                      [dtype = dtype_, shape] { return Literal::zeros(dtype, shape); },
                      {.name = str(name_, "/", name),
                       .trainable = false,
                       .aggregation = Aggregation::sum,
                       .role = ir::Role::other_state});
  totals_.emplace_back(name, made);
  return made;
}

std::optional<Variable> MetricState::find(std::string_view name) const {
  for (const auto& [known, variable] : totals_) {
    if (known == name) return variable;
  }
  return {};
}

void MetricState::add(std::string_view name, const Tensor& increment) {
  const Tensor wide = cast(increment, dtype_);
  total(name, wide.shape()).assign_add(wide);
}

void MetricState::reset() {
  for (const auto& [name, variable] : totals_) {
    (void)name;
    variable.set(Literal::zeros(dtype_, variable.shape()));
  }
}

std::vector<Variable> MetricState::variables() const {
  std::vector<Variable> result;
  for (const auto& entry : totals_) result.push_back(entry.second);
  return result;
}

}  // namespace systolic::inline v0
