// Maps of features cut into windows, and what a window's places are to each other. Internal to
// transformers.
#pragma once

#include <cstdint>
#include <vector>

#include "systolic/nn/config/size2.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// x [batch, height, width, channels] -> [batch * windows, size², channels], and back; windows lie
// row by row, as do the places in each. Height and width are multiples of size.
Tensor cut_into_windows(const Tensor& x, int64_t size);
Tensor joined_windows(const Tensor& windows, int64_t size, Size2 map);

// x [batch, height, width, channels], each place moved up and left by `places`, round the edges.
Tensor rolled(const Tensor& x, int64_t places);

// Which places of a window see each other in a map that was rolled by `shift`: those that were
// neighbours before. pred [windows, size², size²].
Tensor seen_in_windows(Size2 map, int64_t size, int64_t shift);

// For each pair of places of a window, where its row stands in a table of (2 height - 1) · (2 width
// - 1) relative positions: i32 of length (height · width)².
std::vector<int32_t> relative_places(Size2 window);

}  // namespace systolic::inline v0
