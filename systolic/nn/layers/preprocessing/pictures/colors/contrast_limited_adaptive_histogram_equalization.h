// Spreads the levels of each channel of each picture tile by tile, in evaluation as well
// (keras.layers.ContrastLimitedAdaptiveHistogramEqualization; Zuiderveld, "Contrast limited
// adaptive histogram equalization", 1994).
//
//   ContrastLimitedAdaptiveHistogramEqualization{.clip_limit = 2}
//
// Pictures [batch, height, width, channels] of numbers.
#pragma once

#include "systolic/nn/config/size2.h"
#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"

namespace systolic::inline v0 {

struct ContrastLimitedAdaptiveHistogramEqualization {
  ValueRange value_range = {0, 255};
  double clip_limit = 4.0;   // how often a level counts at most, in parts of its fair share; 0: any
  Size2 tile_grid_size = 8;  // rows, columns

  Tensor changed(const Tensor& x) const;
  SYSTOLIC_PICTURE_LAYER(ContrastLimitedAdaptiveHistogramEqualization, value_range, clip_limit,
                         tile_grid_size)
};

extern template Layer::Layer(ContrastLimitedAdaptiveHistogramEqualization);

}  // namespace systolic::inline v0
