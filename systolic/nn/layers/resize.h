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

// f32 [size, of]: the share of each old element in each new one, where element i lies at
// (i + 1/2 - translation) / scale - 1/2. Rows of elements beyond the ends are 0, others add up to
// 1. Not for "nearest".
Literal shares_at(int64_t size, int64_t of, double scale, double translation,
                  Interpolation interpolation, bool antialias);

// x with each element of `axis` `times` times, one after the other.
Tensor repeat_axis(const Tensor& x, int axis, int64_t times);

}  // namespace systolic::inline v0
