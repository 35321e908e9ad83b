// keras.ops' activations, with their numbers; a layer takes them by name (nn/activation.h).
//
//   Tensor y = ops::soft_shrink(x, 0.2);
#pragma once

#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {
namespace ops {

// clang-format off
using v0::celu; using v0::elu; using v0::gelu; using v0::hard_sigmoid; using v0::hard_silu; using v0::hard_tanh; using v0::leaky_relu;  // NOLINT
using v0::log_softmax; using v0::relu; using v0::relu6; using v0::selu; using v0::sigmoid; using v0::silu; using v0::softmax;  // NOLINT
using v0::softplus; using v0::softsign;
Tensor hard_shrink(Operand x, double threshold = 0.5);  // 0 within the threshold
Tensor hard_swish(Operand x);  // x relu6(x + 3) / 6
Tensor log_sigmoid(Operand x);  // -log(1 + exp(-x))
Tensor soft_shrink(Operand x, double threshold = 0.5);
Tensor sparse_plus(Operand x);  // 0 up to -1, (x + 1)^2 / 4, x from 1 on
Tensor sparse_sigmoid(Operand x);  // its slope: 0, (x + 1) / 2, 1
Tensor squareplus(Operand x, double b = 4);  // (x + sqrt(x^2 + b)) / 2
Tensor swish(Operand x);  // x sigmoid(x)
Tensor tanh_shrink(Operand x);  // x - tanh(x)
Tensor threshold(Operand x, double threshold, double default_value);  // x where it is above
// clang-format on

// The first half of an axis times the sigmoid of the second.
Tensor glu(const Tensor& x, int axis = -1);
Tensor sparsemax(const Tensor& x, int axis = -1);

}  // namespace ops
}  // namespace systolic::inline v0
