// Elementwise ops with TensorFlow's names. All take any shape and broadcast as NumPy does;
// floating-point ops need floats.
#pragma once

#include <string_view>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// Converts as StableHLO does: float to integer truncates and saturates; anything to pred is != 0.
Tensor cast(Operand x, DType dtype);
Tensor cast(Operand x, std::string_view dtype);  // "float32", as parse_dtype reads it

// clang-format off
Tensor abs(Operand x);
Tensor exp(Operand x);
Tensor expm1(Operand x);
Tensor log(Operand x);
Tensor log1p(Operand x);
Tensor sqrt(Operand x);
Tensor rsqrt(Operand x);
Tensor square(Operand x);
Tensor sin(Operand x);
Tensor cos(Operand x);
Tensor tan(Operand x);
Tensor tanh(Operand x);
Tensor erf(Operand x);
Tensor floor(Operand x);
Tensor ceil(Operand x);
Tensor round(Operand x);             // ties to even
Tensor sign(Operand x);
Tensor sigmoid(Operand x);
Tensor is_finite(Operand x);         // pred
Tensor is_nan(Operand x);            // pred
Tensor logical_not(Operand x);

Tensor add(Operand a, Operand b);
Tensor subtract(Operand a, Operand b);
Tensor multiply(Operand a, Operand b);
Tensor divide(Operand a, Operand b);
Tensor divide_no_nan(Operand a, Operand b);  // 0 where b is 0, gradients too
Tensor pow(Operand a, Operand b);
Tensor maximum(Operand a, Operand b);
Tensor minimum(Operand a, Operand b);
Tensor atan2(Operand y, Operand x);
Tensor logical_and(Operand a, Operand b);
Tensor logical_or(Operand a, Operand b);
Tensor equal(Operand a, Operand b);
Tensor not_equal(Operand a, Operand b);
Tensor less(Operand a, Operand b);
Tensor greater(Operand a, Operand b);
// clang-format on

// on_true where the predicate holds, else on_false; all three broadcast.
Tensor where(Operand predicate, Operand on_true, Operand on_false);
Tensor clip(Operand x, Operand low, Operand high);

// The value, but gradients do not flow through.
Tensor stop_gradient(Operand x);

// Activations, as keras.activations defines them.
// clang-format off
Tensor relu(Operand x);
Tensor relu6(Operand x);
Tensor leaky_relu(Operand x, double negative_slope = 0.2);
Tensor elu(Operand x, double alpha = 1.0);
Tensor selu(Operand x);
Tensor gelu(Operand x, bool approximate = false);  // exact by erf, or approximate by tanh
Tensor quick_gelu(Operand x);        // x * sigmoid(1.702 x)
Tensor silu(Operand x);
Tensor softplus(Operand x);
Tensor softsign(Operand x);
Tensor celu(Operand x, double alpha = 1.0);
Tensor hard_sigmoid(Operand x);
Tensor hard_silu(Operand x);         // x * hard_sigmoid(x)
Tensor hard_tanh(Operand x);         // x limited to [-1, 1]
Tensor mish(Operand x);
// clang-format on

}  // namespace systolic::inline v0
