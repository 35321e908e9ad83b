#include "systolic/nn/layers/preprocessing/pictures/colors/equalization.h"

#include "systolic/nn/input_check.h"
#include "systolic/nn/layers/preprocessing/pictures/define_picture_layer.h"
#include "systolic/nn/layers/preprocessing/pictures/histograms.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor Equalization::changed(const Tensor& x, PictureDraws& draws) const {
  check_positive("bins", bins);
  const double span = value_range.high() - value_range.low();
  const Tensor bytes = x * (255 / span) - value_range.low() * (255 / span);
  return equalized(bytes, bins, draws.sample_mask()) * (span / 255) + value_range.low();
}

SYSTOLIC_DEFINE_PICTURE_LAYER(Equalization)

}  // namespace systolic::inline v0
