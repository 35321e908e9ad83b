#include "systolic/train/state/finite_watch.h"

#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/tensor_state.h"

namespace systolic::inline v0 {

void FiniteWatch::add_to_step(const std::vector<LayerOutput>& values) {
  names_.clear();
  Tensor first = constant(none);
  if (values.empty()) return;
  const uint64_t here = values.front().value.state()->region;
  for (const LayerOutput& one : values) names_.push_back(one.layer);
  for (size_t i = values.size(); i-- > 0;) {
    const Tensor& value = values[i].value;
    if (!is_float(value.dtype()) || value.state()->region != here) continue;
    first = where(all(is_finite(value)), first, constant(static_cast<int32_t>(i)));
  }
  if (!first_.valid()) {
    first_ =
        Variable(DType::i32, Shape{}, [] { return Literal::scalar<int32_t>(none); },
                 {.name = "first_not_finite", .trainable = false, .role = ir::Role::other_state});
  }
  const Tensor before = first_.value();
  first_.assign(where(before == none, first, before));
}

std::string FiniteWatch::first() {
  if (!first_.valid()) return "";
  const auto number = static_cast<size_t>(first_.literal().integer_at(0));
  return number < names_.size() ? names_[number] : "";
}

}  // namespace systolic::inline v0
