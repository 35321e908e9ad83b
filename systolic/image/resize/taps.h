// Which old pixels a new one is made of, along one axis: the weights of separable resizing.
#pragma once

#include <cstdint>
#include <vector>

#include "systolic/image/resize/resize.h"

namespace systolic::inline v0 {
namespace image {

// New pixel i is the sum over t < count of weights[i * count + t] * old[first[i] + t]. Every
// first[i] + count is at most the old size.
struct Taps {
  int64_t count = 0;
  std::vector<int32_t> first;
  std::vector<float> weights;
  // Pillow's: in units of 2^-22, for u8.
  std::vector<int32_t> fixed;
};

// For one axis from `from` pixels to `to`. InvalidArgument for a method that the convention lacks.
Taps make_taps(int64_t from, int64_t to, const ResizeOptions& options);

}  // namespace image
}  // namespace systolic::inline v0
