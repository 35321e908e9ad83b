#include "systolic/base/cache_size.h"

#include <unistd.h>

#include <algorithm>

namespace systolic::inline v0 {

int64_t second_level_cache_bytes() {
  static const int64_t bytes = [] {
#ifdef _SC_LEVEL2_CACHE_SIZE
    if (const auto told = static_cast<int64_t>(sysconf(_SC_LEVEL2_CACHE_SIZE)); told > 0) {
      return std::clamp<int64_t>(told, 256 << 10, 4 << 20);
    }
#endif
    return int64_t{1} << 20;
  }();
  return bytes;
}

}  // namespace systolic::inline v0
