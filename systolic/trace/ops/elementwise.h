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
Tensor abs(Operand x);               // |x|; for complex numbers the modulus, a real type
Tensor exp(Operand x);               // e^x
Tensor expm1(Operand x);             // e^x - 1, accurate near 0
Tensor log(Operand x);               // natural; -inf at 0, NaN below
Tensor log1p(Operand x);             // log(1 + x), accurate near 0
Tensor sqrt(Operand x);              // NaN below 0
Tensor rsqrt(Operand x);             // 1 / sqrt(x)
Tensor square(Operand x);            // x * x, of integers too
Tensor sin(Operand x);               // the sine of x in radians
Tensor cos(Operand x);               // the cosine of x in radians
Tensor tan(Operand x);               // the tangent of x in radians
Tensor tanh(Operand x);              // the hyperbolic tangent
Tensor erf(Operand x);               // 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x
Tensor floor(Operand x);             // the largest integer that is not above x, as a float
Tensor ceil(Operand x);              // the smallest integer that is not below x, as a float
Tensor round(Operand x);             // ties to even
Tensor sign(Operand x);              // -1, 0 or 1; of integers too
Tensor sigmoid(Operand x);           // 1 / (1 + exp(-x))
Tensor is_finite(Operand x);         // pred
Tensor is_nan(Operand x);            // pred
Tensor logical_not(Operand x);       // of pred

Tensor add(Operand a, Operand b);            // a + b
Tensor subtract(Operand a, Operand b);       // a - b
Tensor multiply(Operand a, Operand b);       // a * b
Tensor divide(Operand a, Operand b);         // a / b; the quotient of integers is cut toward 0
Tensor divide_no_nan(Operand a, Operand b);  // 0 where b is 0, gradients too
Tensor pow(Operand a, Operand b);            // a to the power of b
Tensor maximum(Operand a, Operand b);        // the larger; NaN where one is NaN
Tensor minimum(Operand a, Operand b);        // the smaller; NaN where one is NaN
Tensor atan2(Operand y, Operand x);          // the angle of (x, y), from -pi to pi
Tensor logical_and(Operand a, Operand b);    // of pred
Tensor logical_or(Operand a, Operand b);     // of pred
Tensor equal(Operand a, Operand b);          // pred
Tensor not_equal(Operand a, Operand b);      // pred
Tensor less(Operand a, Operand b);           // pred
Tensor greater(Operand a, Operand b);        // pred
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
