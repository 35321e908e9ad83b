#include "systolic/nn/step_mask.h"

#include <algorithm>

#include "systolic/nn/same_rank.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/tensor_state.h"

namespace systolic::inline v0 {
namespace {

bool broadcast_together(const Shape& a, const Shape& b) {
  return a[0] == b[0] && (a[1] == b[1] || a[1] == 1 || b[1] == 1);
}

// Steps that are real in one of them; nothing where one of them has no mask. A mask that several
// share is taken once.
std::optional<Tensor> real_in_any(const std::vector<Tensor>& xs) {
  std::optional<Tensor> any;
  std::vector<Tensor> taken;
  for (const Tensor& x : xs) {
    const std::optional<Tensor> mask = step_mask_of(x);
    if (!mask || (any && !broadcast_together(any->shape(), mask->shape()))) return {};
    const auto same = [&](const Tensor& other) { return other.state() == mask->state(); };
    if (std::any_of(taken.begin(), taken.end(), same)) continue;
    taken.push_back(*mask);
    any = any ? logical_or(*any, *mask) : *mask;
  }
  return any;
}

// The masks joined along the batch or the steps, an input without one with all steps real; nothing
// where none has one.
std::optional<Tensor> joined_masks(const std::vector<Tensor>& xs, int axis) {
  const auto masked = [](const Tensor& x) { return step_mask_of(x).has_value(); };
  if (std::none_of(xs.begin(), xs.end(), masked)) return {};
  std::vector<Tensor> masks;
  for (const Tensor& x : xs)
    masks.push_back(step_mask_of(x).value_or(ones(x.shape().slice(0, 2), DType::pred)));
  return concat(masks, axis);
}

}  // namespace

std::optional<Tensor> step_mask_of(const Tensor& x) {
  if (!x.valid() || !x.state()->step_mask) return {};
  return Tensor(x.state()->step_mask);
}

void set_step_mask(const Tensor& x, const std::optional<Tensor>& mask) {
  if (!mask || !x.valid() || x.state()->step_mask || x.state() == mask->state()) return;
  const bool fits = x.rank() >= 2 && x.shape().slice(0, 2) == mask->shape();
  if (fits) x.state()->step_mask = mask->state();
}

Tensor with_masked_steps(const Tensor& x, double number) {
  const std::optional<Tensor> mask = step_mask_of(x);
  return mask ? where(with_axes(*mask, x.rank()), x, number) : x;
}

Tensor masked_where_all_are(const Tensor& y, const std::vector<Tensor>& xs) {
  set_step_mask(y, real_in_any(xs));
  return y;
}

Tensor masked_as_joined(const Tensor& y, const std::vector<Tensor>& xs, int axis) {
  if (y.rank() > 2) set_step_mask(y, axis < 2 ? joined_masks(xs, axis) : real_in_any(xs));
  return y;
}

}  // namespace systolic::inline v0
