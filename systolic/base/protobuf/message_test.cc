#include "systolic/base/protobuf/message.h"

#include <gtest/gtest.h>

#include <vector>

#include "systolic/base/test_errors.h"

namespace systolic {
namespace {

using protobuf::Message;
using protobuf::MessageReader;
using namespace std::string_literals;

// The bytes of "Encoding" (protobuf.dev), by hand.
TEST(ProtobufMessage, WritesTheWireFormat) {
  EXPECT_EQ(Message().integer(1, 150).data(), "\x08\x96\x01");
  EXPECT_EQ(Message().integer(1, -1).data(), "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  EXPECT_EQ(Message().bytes(2, "testing").data(), "\x12\x07testing");
  EXPECT_EQ(Message().message(3, Message().integer(1, 150)).data(), "\x1a\x03\x08\x96\x01");
  EXPECT_EQ(Message().integers(6, std::vector<int64_t>{3, 270, 86942}).data(),
            "\x32\x06\x03\x8e\x02\x9e\xa7\x05");
  EXPECT_EQ(Message().real(5, 1.0f).data(), "\x2d\x00\x00\x80\x3f"s);
  EXPECT_EQ(Message().real(1, 1.0).data(), "\x09\x00\x00\x00\x00\x00\x00\xf0\x3f"s);
}

TEST(ProtobufMessage, IsReadAsItWasWritten) {
  const std::string bytes = Message()
                                .integer(1, -5)
                                .real(2, 1.0)
                                .bytes(300, "text")
                                .real(3, 1.0f)
                                .integers(4, std::vector<int64_t>{1, 1 << 20})
                                .integer(4, 7)
                                .data();
  MessageReader reader(bytes);
  std::vector<uint32_t> fields;
  std::vector<int64_t> repeated;
  while (reader.next()) {
    fields.push_back(reader.field());
    if (reader.field() == 1) {
      EXPECT_EQ(reader.integer(), -5);
    }
    if (reader.field() == 300) {
      EXPECT_EQ(reader.bytes(), "text");
    }
    if (reader.field() == 4)
      reader.each_integer([&](int64_t number) { repeated.push_back(number); });
  }
  EXPECT_EQ(fields, (std::vector<uint32_t>{1, 2, 300, 3, 4, 4}));
  EXPECT_EQ(repeated, (std::vector<int64_t>{1, 1 << 20, 7}));
}

TEST(ProtobufMessage, ThatIsDamagedIsRefused) {
  struct Case {
    std::string bytes;
    const char* what;
  };
  for (const Case& c :
       {Case{"\x08", "is cut short"}, Case{"\x12\x05test", "got 4 bytes"},
        Case{"\x09" + "1234567"s, "is cut short"}, Case{"\x0d" + "123"s, "is cut short"},
        Case{"\x0b", "wire type 3"}, Case{"\x08" + std::string(11, '\xff'), "more than ten bytes"},
        Case{"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "is cut short"}}) {
    const auto read = [&] {
      MessageReader reader(c.bytes);
      while (reader.next()) {
      }
    };
    expect_parts(message_of<InvalidArgument>(read), {c.what});
  }
}

}  // namespace
}  // namespace systolic
