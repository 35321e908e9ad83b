// Moving elements requires only their width: one unsigned type stands for all types of a width.
#pragma once

#include <cstdint>

#include "systolic/base/error.h"
#include "systolic/core/dtype.h"

namespace systolic::inline v0 {
namespace kernels {

struct Bytes16 {
  uint64_t low, high;
};

// Calls visitor(TypeTag<T>{}) with T of `bytes` bytes: 1, 2, 4, 8 or 16.
template <class Visitor>
void visit_width(int bytes, Visitor&& visitor) {
  switch (bytes) {
    case 1:
      return visitor(TypeTag<uint8_t>{});
    case 2:
      return visitor(TypeTag<uint16_t>{});
    case 4:
      return visitor(TypeTag<uint32_t>{});
    case 8:
      return visitor(TypeTag<uint64_t>{});
    case 16:
      return visitor(TypeTag<Bytes16>{});
    default:
      raise<Internal>(
          {.what = str("an element of ", bytes, " bytes"), .wanted = "1, 2, 4, 8 or 16"});
  }
}

}  // namespace kernels
}  // namespace systolic::inline v0
