// Indexing by a list that is built while the program runs; x[{...}] is for lists that are written
// out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// The same as x[{...}]; at least one index.
Tensor index_by(const Tensor& x, std::span<const Index> indices);

// What indices of known positions, none of them a Tensor, take of an array: along each axis the
// elements from `start` on, every `stride`-th, before `limit`.
struct StaticCut {
  std::vector<int64_t> start, limit, stride;
  bool is_all = false;    // all of the array
  bool reverses = false;  // axes run backwards afterwards
  Shape result;           // without the axes of one position, and with new ones
};
StaticCut cut_by(const Shape& shape, std::span<const Index> indices);

}  // namespace systolic::inline v0
