#include "systolic/nn/losses/structured/overlap_losses.h"

#include <algorithm>

#include "systolic/nn/input_check.h"
#include "systolic/nn/losses/crossentropy_options.h"
#include "systolic/nn/losses/float_pair.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {
namespace {

using OverlapAxes = std::optional<std::vector<int64_t>>;

Tensor sum_over(const Tensor& x, const OverlapAxes& given) {
  if (!given) return sum(x);
  std::vector<int> axes;
  for (const int64_t axis : *given) axes.push_back(checked_axis("axis", axis, x.rank()));
  return sum(x, {.axis = axes});
}

// A negative axis may be that of the rows as well: which one is known only beside the labels.
bool sums_over_rows(const OverlapAxes& axes) {
  return !axes || std::any_of(axes->begin(), axes->end(), [](int64_t axis) { return axis <= 0; });
}

}  // namespace

bool Dice::joins_rows() const { return sums_over_rows(axis); }
bool Tversky::joins_rows() const { return sums_over_rows(axis); }

Tensor Dice::values(const Tensor& y_true, const Tensor& y_pred) const {
  const auto [labels, scores] = float_pair(y_true, y_pred, kind);
  const Tensor both = sum_over(labels * scores, axis);
  const Tensor each = sum_over(labels, axis) + sum_over(scores, axis);
  return 1.0 - 2.0 * both / (each + crossentropy_epsilon);
}

Tensor Tversky::values(const Tensor& y_true, const Tensor& y_pred) const {
  const auto [labels, scores] = float_pair(y_true, y_pred, kind);
  const Tensor both = sum_over(labels * scores, axis);
  const Tensor missed = sum_over((1.0 - scores) * labels, axis);
  const Tensor wrong = sum_over(scores * (1.0 - labels), axis);
  return 1.0 - both / (both + missed * alpha + wrong * beta + crossentropy_epsilon);
}

}  // namespace systolic::inline v0
