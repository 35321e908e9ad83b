#include "systolic/stablehlo/bytecode/encoding/byte_writer.h"

namespace systolic::inline v0 {
namespace stablehlo {

void ByteWriter::varint(uint64_t value) {
  int size = 1;
  while (size < 9 && value >> (7 * size) != 0) ++size;
  if (size == 9) {
    byte(0);
  } else {
    value = value << size | uint64_t{1} << (size - 1);
  }
  const int rest = size == 9 ? 8 : size;
  for (int i = 0; i < rest; ++i) byte(static_cast<uint8_t>(value >> (8 * i)));
}

void ByteWriter::signed_varint(int64_t value) {
  varint(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
}

void ByteWriter::bits(uint64_t value, int width) {
  if (width <= 8) return byte(static_cast<uint8_t>(value));
  const int unused = 64 - width;
  signed_varint(static_cast<int64_t>(value << unused) >> unused);
}

void ByteWriter::sized(std::string_view bytes) {
  varint(bytes.size());
  append(bytes);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
