// Messages of protocol buffers without a compiled schema, for formats of which a few fields are
// needed. Field numbers are those of the .proto file.
//
//   const std::string bytes = Message().integer(1, 8).message(3, Message().bytes(2,
//   "name")).data(); MessageReader reader(bytes); while (reader.next()) {
//     if (reader.field() == 1) count = reader.integer();
//   }
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "systolic/base/protobuf/wire.h"

namespace systolic::inline v0 {
namespace protobuf {

// Writes one message, field by field.
class Message {
 public:
  Message& integer(uint32_t field, int64_t value);
  Message& bytes(uint32_t field, std::string_view value);
  Message& message(uint32_t field, const Message& value) { return bytes(field, value.data_); }
  // Repeated numbers, packed.
  Message& integers(uint32_t field, std::span<const int64_t> values);
  Message& real(uint32_t field, float value);
  Message& real(uint32_t field, double value);
  const std::string& data() const { return data_; }

 private:
  std::string data_;
};

// Reads one message, field by field. What is cut short or of an unknown wire type is an
// InvalidArgument.
class MessageReader {
 public:
  explicit MessageReader(std::string_view data) : wire_(data) {}
  bool next();
  uint32_t field() const { return field_; }
  // The field's value where it is a number, or its bytes where it is a text or a message.
  int64_t integer() const { return integer_; }
  std::string_view bytes() const { return bytes_; }
  // Calls visit(number) for a repeated field: packed, or one of it.
  template <class Visit>
  void each_integer(Visit visit) const {
    if (!packed_) return visit(integer_);
    MessageReader inner(bytes_);
    while (!inner.wire_.at_end()) visit(static_cast<int64_t>(inner.varint()));
  }

 private:
  uint64_t varint();
  std::string_view take(uint64_t count);

  WireReader wire_;
  std::string_view bytes_;
  uint32_t field_ = 0;
  int64_t integer_ = 0;
  bool packed_ = false;
};

}  // namespace protobuf
}  // namespace systolic::inline v0
