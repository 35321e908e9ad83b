#include "systolic/core/axes.h"

#include <algorithm>
#include <numeric>

namespace systolic::inline v0 {

bool has_axis(std::span<const int64_t> axes, int64_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

std::vector<int64_t> axes_from(int64_t first, int64_t count) {
  std::vector<int64_t> axes(static_cast<size_t>(count));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

std::vector<int64_t> remaining_axes(int64_t rank, std::span<const int64_t> taken) {
  std::vector<int64_t> axes;
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (!has_axis(taken, axis)) axes.push_back(axis);
  }
  return axes;
}

std::vector<int64_t> joined_axes(std::span<const int64_t> a, std::span<const int64_t> b) {
  std::vector<int64_t> axes(a.begin(), a.end());
  axes.insert(axes.end(), b.begin(), b.end());
  return axes;
}

std::vector<int64_t> inverse_permutation(std::span<const int64_t> permutation) {
  std::vector<int64_t> inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) {
    inverse[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
  }
  return inverse;
}

}  // namespace systolic::inline v0
