// What Add, Multiply and their like have in common. Internal to nn.
#pragma once

#include <vector>

#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

// combine(combine(x0, x1), x2)...; at least two inputs. Inputs with fewer axes get axes of size 1
// after the batch axis, as in Keras: [batch, 3] and [batch, 4, 3] is [batch, 1, 3].
Tensor merged(const std::vector<Tensor>& xs, Tensor (*combine)(Operand, Operand));

// The same where steps may be masked and no number is neutral: a step that is masked in one input
// is that of the others (Keras's Maximum and Minimum).
Tensor merged_real_steps(const std::vector<Tensor>& xs, Tensor (*combine)(Operand, Operand));

}  // namespace systolic::inline v0
