// Lists of axes: {0, 2} of an array [batch, height, width]. None is negative here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace systolic::inline v0 {

bool has_axis(std::span<const int64_t> axes, int64_t axis);

// {first, first + 1, ..., first + count - 1}
std::vector<int64_t> axes_from(int64_t first, int64_t count);

// The axes of an array of `rank` that are not in `taken`, in order.
//
//   remaining_axes(4, {3, 1})   // {0, 2}
std::vector<int64_t> remaining_axes(int64_t rank, std::span<const int64_t> taken);

// `a`, then `b`.
std::vector<int64_t> joined_axes(std::span<const int64_t> a, std::span<const int64_t> b);

// Where each axis went: result[permutation[i]] = i, so that transposing by one and then by the
// other moves nothing. `permutation` holds each number from 0 to its size - 1 once.
std::vector<int64_t> inverse_permutation(std::span<const int64_t> permutation);

}  // namespace systolic::inline v0
