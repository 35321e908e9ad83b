#include "systolic/nn/layers/reshaping/cropping.h"

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/layers/window.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

template <int rank>
Tensor Cropping<rank>::call(const Tensor& x, CallContext&) const {
  check_rank(x, rank + 2, spatial_axes(rank));
  Shape begin = x.shape(), size = x.shape();
  for (int axis = 0; axis < begin.rank(); ++axis) begin.set(axis, 0);
  for (int axis = 1; axis <= rank; ++axis) {
    const auto [before, after] = cropping.sides[static_cast<size_t>(axis) - 1];
    check_not_negative("cropping", before);
    check_not_negative("cropping", after);
    if (before + after >= x.shape()[axis]) {
      raise<InvalidArgument>({.what = str("cropping is (", before, ", ", after, ") on an axis of ",
                                          x.shape()[axis], " in the input's ", x.shape()),
                              .wanted = "less than the axis holds"});
    }
    begin.set(axis, before);
    size.set(axis, x.shape()[axis] - before - after);
  }
  return slice(x, begin, size);
}

SYSTOLIC_DEFINE_LAYER(Cropping1D)
SYSTOLIC_DEFINE_LAYER(Cropping2D)
SYSTOLIC_DEFINE_LAYER(Cropping3D)

}  // namespace systolic::inline v0
