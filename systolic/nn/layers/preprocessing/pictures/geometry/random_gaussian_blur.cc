#include "systolic/nn/layers/preprocessing/pictures/geometry/random_gaussian_blur.h"

#include "systolic/base/error.h"
#include "systolic/nn/layers/preprocessing/pictures/define_picture_layer.h"
#include "systolic/nn/layers/preprocessing/pictures/warps.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor RandomGaussianBlur::changed(const Tensor& x, PictureDraws& draws) const {
  const auto [width, height] = kernel_size;
  if (width < 1 || height < 1 || width % 2 == 0 || height % 2 == 0) {
    raise<InvalidArgument>(
        {.what = str("kernel_size is ", width, ", ", height), .wanted = "odd numbers"});
  }
  const Tensor is_blurred = draws.chosen(factor.range("factor", 0, 1));
  const DrawnFactor::Range widths = sigma.range("sigma", 0, 1);
  const auto weights = [&](int64_t size) {
    return gaussian_weights(
        size, draws.for_all() * (widths.upper - widths.lower) + (widths.lower + 1e-6));
  };
  const Tensor row_weights = weights(width), column_weights = weights(height);
  const Tensor y = where(is_blurred, blurred(x, row_weights, column_weights), x);
  return clip(y, value_range.low(), value_range.high());
}

SYSTOLIC_DEFINE_PICTURE_LAYER(RandomGaussianBlur)

}  // namespace systolic::inline v0
