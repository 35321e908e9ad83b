// Numbers as MLIR's bytecode has them, appended to bytes: what bytes.h reads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace systolic::inline v0 {
namespace stablehlo {

class ByteWriter {
 public:
  void byte(uint8_t value) { bytes_ += static_cast<char>(value); }
  // One to nine bytes.
  void varint(uint64_t value);
  void signed_varint(int64_t value);  // zigzag
  void flagged(uint64_t value, bool flag) { varint(value << 1 | (flag ? 1 : 0)); }
  // A number that is `width` bits wide.
  void bits(uint64_t value, int width);
  void append(std::string_view bytes) { bytes_ += bytes; }
  // A number, and this many bytes.
  void sized(std::string_view bytes);

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace stablehlo
}  // namespace systolic::inline v0
