// Protobuf's wire format, byte by byte (protobuf.dev/programming-guides/encoding): for readers and
// writers of large data, and for those of whole messages (message.h).
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace systolic::inline v0 {
namespace protobuf {

enum class WireType : uint8_t {
  varint = 0,
  fixed64 = 1,
  bytes = 2,
  group = 3,
  end_group = 4,
  fixed32 = 5
};

// Steps through the fields of one message. Every call returns false where the bytes are not a valid
// message; nothing is read past the end, nothing is allocated, and there is no recursion.
class WireReader {
 public:
  explicit WireReader(std::string_view message)
      : next_(message.data()), end_(message.data() + message.size()) {}

  bool at_end() const { return next_ == end_; }
  const char* position() const { return next_; }
  size_t bytes_left() const { return static_cast<size_t>(end_ - next_); }

  bool read_varint(uint64_t& value) {
    if (next_ != end_ && static_cast<unsigned char>(*next_) < 0x80) {
      value = static_cast<unsigned char>(*next_++);
      return true;
    }
    value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (next_ == end_) return false;
      const auto byte = static_cast<unsigned char>(*next_++);
      value |= static_cast<uint64_t>(byte & 0x7f) << (shift & 63);
      if (byte < 0x80) return true;
    }
    return false;
  }
  bool read_tag(uint32_t& field, WireType& type) {
    uint64_t tag = 0;
    if (!read_varint(tag) || tag > UINT32_MAX || tag < 8) return false;
    field = static_cast<uint32_t>(tag >> 3);
    type = static_cast<WireType>(tag & 7);
    return true;
  }
  bool read_bytes(std::string_view& bytes) {
    uint64_t size = 0;
    return read_varint(size) && take(size, bytes);
  }
  // The next `size` bytes, whatever they are.
  bool take(uint64_t size, std::string_view& bytes) {
    if (size > bytes_left()) return false;
    bytes = {next_, static_cast<size_t>(size)};
    next_ += size;
    return true;
  }
  bool read_fixed32(uint32_t& value) {
    if (end_ - next_ < 4) return false;
    std::memcpy(&value, next_, 4);
    next_ += 4;
    return true;
  }
  // Steps over a field of that type. Groups, which no current format has, are refused.
  bool skip(WireType type) {
    uint64_t number = 0;
    std::string_view bytes;
    switch (type) {
      case WireType::varint:
        return read_varint(number);
      case WireType::bytes:
        return read_bytes(bytes);
      case WireType::fixed32:
        return skip_bytes(4);
      case WireType::fixed64:
        return skip_bytes(8);
      default:
        return false;
    }
  }

 private:
  bool skip_bytes(int count) {
    if (end_ - next_ < count) return false;
    next_ += count;
    return true;
  }
  const char* next_;
  const char* end_;
};

inline size_t varint_size(uint64_t value) {
  return static_cast<size_t>((64 - __builtin_clzll(value | 1) + 6) / 7);
}
inline void append_varint(uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}
// Least significant byte first.
template <class Bits>
void append_fixed(Bits bits, std::string& out) {
  for (size_t i = 0; i < sizeof bits; ++i) out += static_cast<char>(bits >> (8 * i) & 0xff);
}
inline void append_tag(uint32_t field, WireType type, std::string& out) {
  append_varint(field << 3 | static_cast<uint32_t>(type), out);
}
// Tag and length of a field whose `size` bytes the caller appends next.
inline void append_bytes_header(uint32_t field, size_t size, std::string& out) {
  append_tag(field, WireType::bytes, out);
  append_varint(size, out);
}

}  // namespace protobuf
}  // namespace systolic::inline v0
