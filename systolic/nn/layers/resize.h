// An axis of an array at another size. Internal to nn.
#pragma once

#include "systolic/nn/config/interpolation.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// x with `size` elements along `axis`: element i lies at (i + 1/2) x.shape()[axis] / size - 1/2 of
// x (keras.ops.image.resize; half-pixel centers). With `antialias`, where the axis shrinks, the
// kernel is as much wider.
Tensor resize_axis(const Tensor& x, int axis, int64_t size, Interpolation interpolation,
                   bool antialias = false);

// x with each element of `axis` `times` times, one after the other.
Tensor repeat_axis(const Tensor& x, int axis, int64_t times);

}  // namespace systolic::inline v0
