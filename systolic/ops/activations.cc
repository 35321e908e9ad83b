#include "systolic/ops/activations.h"

#include "systolic/base/error.h"
#include "systolic/nn/activation.h"
#include "systolic/ops/shapes.h"
#include "systolic/trace/operand.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace ops {
namespace {

Tensor activated(const Activation& activation, const Operand& x, std::string_view name) {
  return activation(wrap(floating(x, name)));
}

}  // namespace

// clang-format off
Tensor hard_swish(Operand x) { return v0::hard_silu(x); }
Tensor log_sigmoid(Operand x) { return activated("log_sigmoid", x, "log_sigmoid"); }
Tensor sparse_plus(Operand x) { return activated("sparse_plus", x, "sparse_plus"); }
Tensor sparse_sigmoid(Operand x) { return activated("sparse_sigmoid", x, "sparse_sigmoid"); }
Tensor swish(Operand x) { return v0::silu(x); }
Tensor tanh_shrink(Operand x) { return activated("tanh_shrink", x, "tanh_shrink"); }
// clang-format on

Tensor hard_shrink(Operand x, double threshold) {
  const Tensor value = wrap(floating(x, "hard_shrink"));
  return v0::where(v0::abs(value) > threshold, value, 0.0);
}

Tensor soft_shrink(Operand x, double threshold) {
  const Tensor value = wrap(floating(x, "soft_shrink"));
  return v0::where(v0::abs(value) > threshold, value - threshold * v0::sign(value), 0.0);
}

Tensor squareplus(Operand x, double b) {
  const Tensor value = wrap(floating(x, "squareplus"));
  return (value + v0::sqrt(v0::square(value) + b)) / 2.0;
}

Tensor threshold(Operand x, double threshold, double default_value) {
  const Tensor value = wrap(alone(x));
  return v0::where(value > threshold, value, default_value);
}

Tensor glu(const Tensor& x, int axis) {
  const auto place = static_cast<int>(positive_axis(axis, x.rank(), {}));
  if (x.shape()[place] % 2 != 0) {
    raise<InvalidArgument>({.what = str("glu over axis ", axis, " of shape ", x.shape()),
                            .wanted = "an axis of even size: its second half gates the first"});
  }
  const std::vector<Tensor> halves = v0::split(x, 2, place);
  return halves[0] * v0::sigmoid(halves[1]);
}

Tensor sparsemax(const Tensor& x, int axis) {
  const Activation last = "sparsemax";
  return swapaxes(last(swapaxes(x, axis, -1)), axis, -1);
}

}  // namespace ops
}  // namespace systolic::inline v0
