#include "systolic/base/protobuf/message.h"

#include <bit>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace protobuf {

Message& Message::integer(uint32_t field, int64_t value) {
  append_tag(field, WireType::varint, data_);
  append_varint(static_cast<uint64_t>(value), data_);
  return *this;
}

Message& Message::bytes(uint32_t field, std::string_view value) {
  append_bytes_header(field, value.size(), data_);
  data_ += value;
  return *this;
}

Message& Message::integers(uint32_t field, std::span<const int64_t> values) {
  std::string packed;
  for (int64_t value : values) append_varint(static_cast<uint64_t>(value), packed);
  return bytes(field, packed);
}

Message& Message::real(uint32_t field, float value) {
  append_tag(field, WireType::fixed32, data_);
  append_fixed(std::bit_cast<uint32_t>(value), data_);
  return *this;
}

Message& Message::real(uint32_t field, double value) {
  append_tag(field, WireType::fixed64, data_);
  append_fixed(std::bit_cast<uint64_t>(value), data_);
  return *this;
}

std::string_view MessageReader::take(uint64_t count) {
  std::string_view result;
  if (!wire_.take(count, result)) {
    raise<InvalidArgument>({.what = "a message of protocol buffers is cut short",
                            .got = str(wire_.bytes_left(), " bytes"),
                            .wanted = str(count)});
  }
  return result;
}

uint64_t MessageReader::varint() {
  uint64_t value = 0;
  if (wire_.read_varint(value)) return value;
  if (wire_.at_end()) take(1);
  raise<InvalidArgument>({.what = "a number of protocol buffers has more than ten bytes"});
}

bool MessageReader::next() {
  if (wire_.at_end()) return false;
  const uint64_t key = varint();
  field_ = static_cast<uint32_t>(key >> 3);
  integer_ = 0;
  bytes_ = {};
  packed_ = false;
  switch (static_cast<WireType>(key & 7)) {
    case WireType::varint:
      integer_ = static_cast<int64_t>(varint());
      return true;
    case WireType::bytes:
      bytes_ = take(varint());
      packed_ = true;
      return true;
    case WireType::fixed64:
      take(8);
      return true;
    case WireType::fixed32:
      take(4);
      return true;
    default:
      raise<InvalidArgument>({.what = str("wire type ", key & 7, " of protocol buffers")});
  }
}

}  // namespace protobuf
}  // namespace systolic::inline v0
