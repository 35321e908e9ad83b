#include "systolic/nn/layers/reshaping/up_sampling.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/layers/resize.h"
#include "systolic/nn/layers/window.h"

namespace systolic::inline v0 {

namespace {

Tensor up_sampled(const Tensor& x, const std::vector<int64_t>& times, Interpolation interpolation) {
  const auto rank = static_cast<int>(times.size());
  check_rank(x, rank + 2, spatial_axes(rank));
  Tensor y = x;
  for (int axis = 1; axis <= rank; ++axis) {
    const int64_t factor = times[static_cast<size_t>(axis) - 1];
    check_positive("size", factor);
    y = interpolation.is("nearest") ? repeat_axis(y, axis, factor)
                                    : resize_axis(y, axis, y.shape()[axis] * factor, interpolation);
  }
  return y;
}

}  // namespace

template <int rank>
Tensor UpSampling<rank>::call(const Tensor& x, CallContext&) const {
  return up_sampled(x, spatial_sizes(size), "nearest");
}

Tensor UpSampling2D::call(const Tensor& x, CallContext&) const {
  return up_sampled(x, spatial_sizes(size), interpolation);
}

SYSTOLIC_DEFINE_LAYER(UpSampling1D)
SYSTOLIC_DEFINE_LAYER(UpSampling2D)
SYSTOLIC_DEFINE_LAYER(UpSampling3D)

}  // namespace systolic::inline v0
