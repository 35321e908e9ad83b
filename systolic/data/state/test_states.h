// For tests: saved iterators that were damaged on purpose.
#pragma once

#include <cstring>
#include <string>

#include "systolic/io/encoding/crc32c.h"

namespace systolic {

// The state with a checksum that fits, so that its damage is looked for further in.
inline std::string with_checksum(std::string bytes) {
  if (bytes.size() < 12) return bytes;
  const uint32_t checksum = io::crc32c(std::string_view(bytes).substr(0, bytes.size() - 4));
  std::memcpy(bytes.data() + bytes.size() - 4, &checksum, 4);
  return bytes;
}

}  // namespace systolic
