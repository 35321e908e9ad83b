// CRC-32C (Castagnoli, RFC 3720 appendix B.4), the checksum of TFRecord files and TensorFlow
// checkpoints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace systolic::inline v0 {
namespace io {

// The checksum of `size` bytes; `previous` is that of the bytes before them: crc32c(b, n, crc32c(a,
// m)) is that of a followed by b. Uses the processor's CRC instruction where there is one.
uint32_t crc32c(const void* data, size_t size, uint32_t previous = 0);
inline uint32_t crc32c(std::string_view bytes) { return crc32c(bytes.data(), bytes.size()); }

// The same by table, one byte at a time: slow, portable, and the oracle of the other.
uint32_t crc32c_by_table(const void* data, size_t size, uint32_t previous = 0);

// TFRecord stores checksums masked, because a CRC over data that holds its own CRC is weak.
constexpr uint32_t mask_crc(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }
constexpr uint32_t unmask_crc(uint32_t masked) {
  const uint32_t rotated = masked - 0xa282ead8u;
  return (rotated >> 17) | (rotated << 15);
}

}  // namespace io
}  // namespace systolic::inline v0
