// Vectors of positions for pictures of another size than those that a model was trained on.
// Internal to transformers.
#pragma once

#include <cstdint>

#include "systolic/nn/config/size2.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// x [height, width, n], values of a grid -> [to.height, to.width, n], which lie between them, as
// torch.nn.functional.interpolate has it with align_corners = False. A product with two constant
// matrices, so that it has a gradient.
enum class Between : uint8_t { two, four };  // values along each axis: bilinear, bicubic
Tensor resized_grid(const Tensor& x, Size2 to, Between between);
// One of these, [to, from]: how much of each old place there is in a new one. Past an edge its last
// place counts.
Tensor weights_between(int64_t from, int64_t to, Between between);

// table [1, special + from.height * from.width, size]: vectors of `special` tokens in front, then
// those of a grid of patches, row by row -> the same for a grid of size `to`, whose vectors lie
// between four of the table along each axis.
Tensor resized_positions(const Tensor& table, int64_t special, Size2 from, Size2 to);

}  // namespace systolic::inline v0
