#include "plugin/program/compile_options.h"

#include <gtest/gtest.h>

#include "backends/pjrt/compile_options.h"
#include "systolic/base/protobuf/message.h"
#include "systolic/base/test_errors.h"

namespace systolic {
namespace {

TEST(ReadLayout, ReadsWhatBackendsPjrtWrites) {
  const plugin::Layout layout = plugin::read_layout(
      pjrt::serialize({.replicas = 2, .partitions = 3, .device_ids = {5, 4, 3, 2, 1, 0}}), 8);
  EXPECT_EQ(layout.replicas, 2);
  EXPECT_EQ(layout.partitions, 3);
  EXPECT_EQ(layout.devices, (std::vector<int64_t>{5, 4, 3, 2, 1, 0}));
}

TEST(ReadLayout, TakesTheFirstDevicesWhereNoneAreNamed) {
  EXPECT_EQ(plugin::read_layout("", 8).devices, (std::vector<int64_t>{0}));
  EXPECT_EQ(plugin::read_layout(pjrt::serialize({.partitions = 4}), 8).devices,
            (std::vector<int64_t>{0, 1, 2, 3}));
}

// Every prefix of a good message, and single bytes of it changed: an answer or an error, never more
// devices than there are.
TEST(ReadLayout, SurvivesDamage) {
  const std::string good = pjrt::serialize({.partitions = 4, .device_ids = {0, 1, 2, 3}});
  int refused = 0;
  const auto read = [&](const std::string& bytes) {
    try {
      EXPECT_LE(plugin::read_layout(bytes, 8).size(), 8u);
    } catch (const InvalidArgument&) {
      ++refused;
    }
  };
  for (size_t size = 0; size < good.size(); ++size) read(good.substr(0, size));
  for (size_t at = 0; at < good.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = good;
      damaged[at] = static_cast<char>(damaged[at] ^ 1 << bit);
      read(damaged);
    }
  }
  EXPECT_GT(refused, 20);
}

TEST(CheckNamedOptions, RefusesNamesThatXlaDoesNotHave) {
  using protobuf::Message;
  const auto check = [](const std::string& name, const Message& value) {
    const Message option = Message().bytes(1, name).message(2, value);
    plugin::check_named_options(Message().message(7, option).data());
  };
  check("xla_embed_ir_in_executable", Message().integer(2, 1));
  check("xla_embed_ir_in_executable", Message().bytes(1, "true"));
  check("xla_dump_to", Message().bytes(1, "/tmp/dump"));
  check("xla_dump_max_hlo_modules", Message().integer(3, 200));
  for (const char* name : {"invalid_key", "xla", "", "Xla_dump_to"}) {
    const std::string message =
        message_of<InvalidArgument>([&] { check(name, Message().bytes(1, "invalid_value")); });
    EXPECT_NE(message.find(str("No such compile option: '", name, "'")), std::string::npos)
        << message;
  }
  EXPECT_NE(message_of<InvalidArgument>([&] {
              check("xla_embed_ir_in_executable", Message().bytes(1, "maybe"));
            }).find("'maybe' is not a valid bool value."),
            std::string::npos);
}

// The bytes of DeviceAssignmentProto {2, 2, [[0, 2], [1, 300]]}, by hand.
TEST(AssignmentOf, WritesTheMessage) {
  plugin::Layout layout{.replicas = 2, .partitions = 2, .devices = {0, 1, 2, 300}};
  const std::string expected("\x08\x02\x10\x02\x1a\x04\x0a\x02\x00\x02\x1a\x05\x0a\x03\x01\xac\x02",
                             17);
  EXPECT_EQ(plugin::assignment_of(layout), expected);
}

}  // namespace
}  // namespace systolic
