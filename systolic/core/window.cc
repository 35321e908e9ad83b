#include "systolic/core/window.h"

#include <algorithm>
#include <limits>

namespace systolic::inline v0 {

int64_t window_count(int64_t size, const WindowAxis& axis) {
  using Wide = __int128;  // what a file says may overflow 64 bits
  const auto wide_dilated = [](int64_t count, int64_t by) {
    return count == 0 ? Wide{0} : Wide{count - 1} * by + 1;
  };
  const Wide padded = wide_dilated(size, axis.base_dilation) + axis.padding_low + axis.padding_high;
  const Wide reach = wide_dilated(axis.window, axis.window_dilation);
  if (padded <= 0 || reach > padded) return 0;
  const Wide largest = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::min(largest, (padded - reach) / axis.stride + 1));
}

}  // namespace systolic::inline v0
