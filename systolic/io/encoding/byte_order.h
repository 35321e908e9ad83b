// Turning big-endian numbers into the machine's (little-endian) ones and back.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

namespace systolic::inline v0 {
namespace io {

static_assert(std::endian::native == std::endian::little, "file formats are read as little-endian");

// Reverses the bytes of each of `count` numbers of `width` bytes.
inline void reverse_bytes(std::byte* data, size_t count, size_t width) {
  if (width < 2) return;
  for (size_t i = 0; i < count; ++i) std::reverse(data + i * width, data + (i + 1) * width);
}

}  // namespace io
}  // namespace systolic::inline v0
