// Vectors of positions for pictures of another size than those that a model was trained on.
// Internal to transformers.
#pragma once

#include <cstdint>

#include "systolic/nn/config/size2.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// table [1, special + from.height * from.width, size]: vectors of `special` tokens in front, then
// those of a grid of patches, row by row -> the same for a grid of size `to`, whose vectors lie
// between those of the table (bicubic, as torch.nn.functional.interpolate has it with
// align_corners = False). It is a product with two constant matrices, and so has a gradient.
Tensor resized_positions(const Tensor& table, int64_t special, Size2 from, Size2 to);

}  // namespace systolic::inline v0
