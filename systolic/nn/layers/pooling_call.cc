#include "systolic/nn/layers/pooling_call.h"

#include "systolic/base/error.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/layers/convolution_call.h"

namespace systolic::inline v0 {

Tensor pooled(const Tensor& x, const PoolingCall& call,
              Tensor (*pool)(const Tensor& x, PoolOptions options, SourceLocation at)) {
  if (call.padding.is("causal")) {
    raise<InvalidArgument>({.what = "padding is 'causal'", .wanted = "'valid' or 'same'"});
  }
  for (const int64_t size : call.window) check_positive("pool_size", size);
  for (const int64_t step : call.strides) check_positive("strides", step);
  check_rank(x, static_cast<int>(call.window.size()) + 2, image_axes(call.window.size()));
  const std::vector<int64_t> dilation(call.window.size(), 1);
  const Shape spatial = x.shape().slice(1, x.rank() - 1);
  return pool(
      x,
      {.window = call.window,
       .strides = call.strides,
       .padding = spatial_padding(spatial, call.window, call.strides, dilation, call.padding)},
      SourceLocation::current());
}

}  // namespace systolic::inline v0
