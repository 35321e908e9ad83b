#include "systolic/nn/layers/preprocessing/pictures/colors/contrast_limited_adaptive_histogram_equalization.h"

#include "systolic/nn/input_check.h"
#include "systolic/nn/layers/preprocessing/pictures/define_picture_layer.h"
#include "systolic/nn/layers/preprocessing/pictures/histograms.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor ContrastLimitedAdaptiveHistogramEqualization::changed(const Tensor& x) const {
  check_positive("rows of tile_grid_size", tile_grid_size.height);
  check_positive("columns of tile_grid_size", tile_grid_size.width);
  const Tensor y = equalized_by_tiles(
      in_range(x, value_range, {0, 255}),
      {.clip_limit = clip_limit, .rows = tile_grid_size.height, .columns = tile_grid_size.width});
  return in_range(y, {0, 255}, value_range);
}

SYSTOLIC_DEFINE_PICTURE_LAYER(ContrastLimitedAdaptiveHistogramEqualization)

}  // namespace systolic::inline v0
