#include "plugin/program/protobuf.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace plugin {
namespace {

enum WireType : uint32_t { varint_type = 0, eight_bytes = 1, bytes_type = 2, four_bytes = 5 };

}  // namespace

void Message::varint(uint64_t value) {
  for (; value >= 0x80; value >>= 7) data_ += static_cast<char>(value | 0x80);
  data_ += static_cast<char>(value);
}

Message& Message::integer(uint32_t field, int64_t value) {
  varint(uint64_t{field} << 3 | varint_type);
  varint(static_cast<uint64_t>(value));
  return *this;
}

Message& Message::bytes(uint32_t field, std::string_view value) {
  varint(uint64_t{field} << 3 | bytes_type);
  varint(value.size());
  data_ += value;
  return *this;
}

Message& Message::integers(uint32_t field, std::span<const int64_t> values) {
  Message packed;
  for (int64_t value : values) packed.varint(static_cast<uint64_t>(value));
  return bytes(field, packed.data_);
}

std::string_view MessageReader::take(size_t count) {
  if (count > data_.size()) {
    raise<InvalidArgument>({.what = "a message of protocol buffers is cut short",
                            .got = str(data_.size(), " bytes"),
                            .wanted = str(count)});
  }
  const std::string_view result = data_.substr(0, count);
  data_.remove_prefix(count);
  return result;
}

uint64_t MessageReader::varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(take(1)[0]);
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  raise<InvalidArgument>({.what = "a number of protocol buffers has more than ten bytes"});
}

bool MessageReader::next() {
  if (data_.empty()) return false;
  const uint64_t key = varint();
  field_ = static_cast<uint32_t>(key >> 3);
  integer_ = 0;
  bytes_ = {};
  packed_ = false;
  switch (key & 7) {
    case varint_type:
      integer_ = static_cast<int64_t>(varint());
      return true;
    case bytes_type:
      bytes_ = take(varint());
      packed_ = true;
      return true;
    case eight_bytes:
      take(8);
      return true;
    case four_bytes:
      take(4);
      return true;
    default:
      raise<InvalidArgument>({.what = str("wire type ", key & 7, " of protocol buffers")});
  }
}

}  // namespace plugin
}  // namespace systolic::inline v0
