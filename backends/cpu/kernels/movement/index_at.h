// Elements of index arrays of any integer type.
#pragma once

#include <algorithm>
#include <cstdint>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/core/dtype.h"

namespace systolic::inline v0 {
namespace kernels {

// Element `i`; unsigned ones beyond 2^63 become very large.
inline int64_t index_at(DType dtype, const void* indices, int64_t i) {
  switch (dtype) {
    case DType::i8:
      return static_cast<const int8_t*>(indices)[i];
    case DType::u8:
      return static_cast<const uint8_t*>(indices)[i];
    case DType::i16:
      return static_cast<const int16_t*>(indices)[i];
    case DType::u16:
      return static_cast<const uint16_t*>(indices)[i];
    case DType::i32:
      return static_cast<const int32_t*>(indices)[i];
    case DType::u32:
      return static_cast<const uint32_t*>(indices)[i];
    case DType::i64:
      return static_cast<const int64_t*>(indices)[i];
    case DType::u64: {
      const uint64_t value = static_cast<const uint64_t*>(indices)[i];
      return static_cast<int64_t>(std::min<uint64_t>(value, INT64_MAX));
    }
    default:
      raise<InvalidArgument>({.what = str("indices of type ", dtype), .wanted = "integers"});
  }
}

}  // namespace kernels
}  // namespace systolic::inline v0
