// What Add, Multiply and their like have in common. Internal to nn.
#pragma once

#include <vector>

#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

// combine(combine(x0, x1), x2)...; at least two inputs. Inputs with fewer axes get axes of size 1
// behind the batch axis, as in Keras: [batch, 3] beside [batch, 4, 3] is [batch, 1, 3].
Tensor merged(const std::vector<Tensor>& xs, Tensor (*combine)(Operand, Operand));

}  // namespace systolic::inline v0
