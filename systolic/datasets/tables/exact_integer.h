// Which integers double precision holds. Internal to datasets.
#pragma once

#include <cstdint>

namespace systolic::inline v0 {
namespace datasets {

constexpr bool is_exact_in_double(int64_t value) {
  constexpr int64_t most = int64_t{1} << 53;
  return value >= -most && value <= most;
}

}  // namespace datasets
}  // namespace systolic::inline v0
