#include "systolic/nn/optimizers/adafactor.h"

#include "systolic/nn/optimizers/optimizer_step.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

Tensor root_mean_square(const Tensor& x) { return sqrt(mean(square(x))); }

// Exponential means of the squared gradients: of all, or for a matrix from those of its rows and
// columns.
Tensor mean_squares(OptimizerStep& step, const Tensor& squares, const Tensor& beta) {
  const auto next = [&](const Slot& slot, const Tensor& now) {
    const Tensor mixed = beta * slot.value() + (1.0 - beta) * now;
    slot.assign(mixed);
    return mixed;
  };
  if (squares.rank() < 2) return next(step.slot("velocity"), squares);
  const auto along = [&](int axis, const char* name) {
    const Tensor now = mean(squares, {.axis = axis});
    return next(step.slot(name), now);
  };
  const Tensor rows = along(-1, "row_mean"), columns = along(-2, "column_mean");
  const Tensor shares = rows / mean(rows, {.axis = -1, .keepdims = true});
  return expand_dims(shares, -1) * expand_dims(columns, -2);
}

}  // namespace

std::vector<OptimizerSlot> Adafactor::slots(const Variable& variable) const {
  const Shape& shape = variable.shape();
  if (shape.rank() < 2) return {{.name = "velocity"}};
  return {{.name = "row_mean", .shape = shape.without(shape.rank() - 1)},
          {.name = "column_mean", .shape = shape.without(shape.rank() - 2)}};
}

Tensor Adafactor::update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const {
  const Tensor t = step.number();
  const Tensor rate = minimum(step.learning_rate(), rsqrt(t));
  const Tensor size = maximum(root_mean_square(value), epsilon_2) * rate;
  const Tensor squares =
      mean_squares(step, square(gradient) + epsilon_1, 1.0 - pow(t, beta_2_decay));
  const Tensor change = gradient / sqrt(squares);
  return value - size * change / maximum(root_mean_square(change) / clip_threshold, 1.0);
}

}  // namespace systolic::inline v0
