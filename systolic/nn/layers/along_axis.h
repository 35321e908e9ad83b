// A matrix applied to one axis of an array. Internal to nn.
#pragma once

#include "systolic/core/literal.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// matrix f32 [rows, size] with x [..., size at `axis`, ...] -> [..., rows, ...], of x's type.
Tensor multiply_along_axis(const Literal& matrix, const Tensor& x, int axis);

}  // namespace systolic::inline v0
