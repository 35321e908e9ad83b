// How large compressed data may become in memory.
#pragma once

#include <cstdint>

namespace systolic::inline v0 {
namespace io {

// More than 256 MiB and a hundred times what is stored, as Keras bounds what it unpacks: data that
// was made to fill the memory.
constexpr bool unpacks_to_too_much(uint64_t bytes, uint64_t stored_bytes) {
  constexpr uint64_t surely_fine = uint64_t{1} << 28, most_ratio = 100;
  return bytes > surely_fine && bytes / most_ratio > stored_bytes;
}

}  // namespace io
}  // namespace systolic::inline v0
