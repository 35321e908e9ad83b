// The wire format of protocol buffers, as far as a few fields need it (protobuf.dev, "Encoding").
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace systolic::inline v0 {
namespace plugin {

// Writes one message, field by field.
class Message {
 public:
  Message& integer(uint32_t field, int64_t value);
  Message& bytes(uint32_t field, std::string_view value);
  Message& message(uint32_t field, const Message& value) { return bytes(field, value.data_); }
  // Repeated numbers, packed.
  Message& integers(uint32_t field, std::span<const int64_t> values);
  const std::string& data() const { return data_; }

 private:
  void varint(uint64_t value);

  std::string data_;
};

// Reads one message: while (reader.next()) switch (reader.field()) ... What is cut short or of an
// unknown wire type is an InvalidArgument.
class MessageReader {
 public:
  explicit MessageReader(std::string_view data) : data_(data) {}
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
    while (!inner.data_.empty()) visit(static_cast<int64_t>(inner.varint()));
  }

 private:
  uint64_t varint();
  std::string_view take(size_t count);

  std::string_view data_, bytes_;
  uint32_t field_ = 0;
  int64_t integer_ = 0;
  bool packed_ = false;
};

}  // namespace plugin
}  // namespace systolic::inline v0
