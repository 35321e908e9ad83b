// Activations, as keras.activations defines them.
#include <cmath>

#include "systolic/trace/operand.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {
namespace {

Tensor tensor_from(const Operand& x, std::string_view name) { return wrap(floating(x, name)); }

}  // namespace

Tensor relu(Operand x) { return maximum(x, Operand(0, x.location)); }

// Not clip, whose gradient passes where x is a bound: at 0 a ReLU's gradient is 0.
Tensor relu6(Operand x) {
  return minimum(maximum(x, Operand(0, x.location)), Operand(6, x.location));
}

Tensor leaky_relu(Operand x, double negative_slope) {
  const Tensor value = tensor_from(x, "leaky_relu");
  return where(value > 0, value, value * negative_slope);
}

Tensor elu(Operand x, double alpha) {
  const Tensor value = tensor_from(x, "elu");
  return where(value >= 0, value, alpha * expm1(minimum(value, 0)));
}

// Klambauer et al. 2017, "Self-Normalizing Neural Networks".
Tensor selu(Operand x) {
  constexpr double alpha = 1.6732632423543772, scale = 1.0507009873554805;
  return scale * elu(x, alpha);
}

// Hendrycks and Gimpel 2016, arXiv 1606.08415; approximate: with tanh.
Tensor gelu(Operand x, bool approximate) {
  const Tensor value = tensor_from(x, "gelu");
  if (!approximate) return 0.5 * value * (1 + erf(value * M_SQRT1_2));
  const double scale = std::sqrt(2 / M_PI);
  return 0.5 * value * (1 + tanh(scale * (value + 0.044715 * value * value * value)));
}

// Hendrycks and Gimpel 2016, section 2: the logistic function in the place of the normal one.
Tensor quick_gelu(Operand x) {
  const Tensor value = tensor_from(x, "quick_gelu");
  return value * sigmoid(1.702 * value);
}

Tensor silu(Operand x) {
  const Tensor value = tensor_from(x, "silu");
  return value * sigmoid(value);
}

// log(1 + exp(x)) without overflow. Not by maximum and abs, which are flat at 0: there the gradient
// is 1/2.
Tensor softplus(Operand x) {
  const Tensor value = tensor_from(x, "softplus");
  const Tensor positive = value >= 0;
  return where(positive, value, 0.0) + log1p(exp(where(positive, -value, value)));
}

Tensor softsign(Operand x) {
  const Tensor value = tensor_from(x, "softsign");
  return value / (1 + abs(value));
}

Tensor hard_sigmoid(Operand x) {
  const Tensor value = tensor_from(x, "hard_sigmoid");
  return relu6(value + 3) / 6;
}

Tensor hard_silu(Operand x) {
  const Tensor value = tensor_from(x, "hard_silu");
  return value * hard_sigmoid(value);
}

Tensor hard_tanh(Operand x) { return clip(x, Operand(-1, x.location), Operand(1, x.location)); }

// Barron 2017, arXiv 1704.07483.
Tensor celu(Operand x, double alpha) {
  const Tensor value = tensor_from(x, "celu");
  return where(value >= 0, value, alpha * expm1(minimum(value, 0) / alpha));
}

Tensor mish(Operand x) {
  const Tensor value = tensor_from(x, "mish");
  return value * tanh(softplus(value));
}

}  // namespace systolic::inline v0
