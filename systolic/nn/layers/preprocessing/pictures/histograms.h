// Pictures whose levels are spread by how often they are: what layers for pictures do, on f32
// [batch, height, width, channels]. Internal to nn.
#pragma once

#include <optional>

#include "systolic/nn/layers/preprocessing/pictures/pictures.h"

namespace systolic::inline v0 {

// Each channel by the levels of that channel in all pictures; x from 0 to 255. Pictures that
// `sample_mask` [batch] leaves out are not counted. A channel of one level stays.
Tensor equalized(const Tensor& x, int64_t bins, const std::optional<Tensor>& sample_mask);

// How equalized_by_tiles counts.
struct TileRules {
  double clip_limit = 4;  // how often a level counts at most, in parts of its fair share; 0: any
  int64_t rows = 8, columns = 8;
};
// Each channel of each picture by the levels in the tiles around a pixel, and between their middles
// by lines (Zuiderveld, "Contrast limited adaptive histogram equalization", 1994); x from 0 to 255.
Tensor equalized_by_tiles(const Tensor& x, const TileRules& rules);

}  // namespace systolic::inline v0
