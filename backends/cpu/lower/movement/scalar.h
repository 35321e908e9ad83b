// Integers that a step reads while it runs: start indices, branch numbers.
#pragma once

#include <cstdint>

#include "backends/cpu/plan/plan.h"
#include "systolic/core/dtype.h"

namespace systolic::inline v0 {
namespace cpu {

inline int64_t read_integer(DType dtype, const std::byte* data) {
  return visit_dtype(dtype, [&](auto tag) -> int64_t {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>) {
      const T value = *reinterpret_cast<const T*>(data);
      if constexpr (std::is_same_v<T, uint64_t>) {
        return value > static_cast<uint64_t>(INT64_MAX) ? INT64_MAX : static_cast<int64_t>(value);
      } else {
        return static_cast<int64_t>(value);
      }
    } else {
      return 0;
    }
  });
}

}  // namespace cpu
}  // namespace systolic::inline v0
