// Loading plugins that are fine, broken, old, slow or deadly.
#include "backends/pjrt/api/plugin.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "backends/pjrt/api/topology_description.h"
#include "backends/pjrt/compile_options.h"
#include "backends/pjrt/device_client.h"
#include "backends/pjrt/fake_plugin_test.h"
#include "systolic/base/test_errors.h"

namespace systolic {
namespace {

using namespace pjrt;

TEST(Plugin, ReadsVersionsAndAttributes) {
  FakePlugin fake;
  const PluginPtr plugin = Plugin::load(fake.path());
  EXPECT_EQ(plugin->api()->version(), "0.90");
  EXPECT_EQ(plugin->stablehlo_version(), "1.9.0");
  EXPECT_EQ(Plugin::load(fake.path()), plugin);
}

TEST(Plugin, RefusesWhatIsNoPlugin) {
  const std::string folder = testing::TempDir();
  EXPECT_NE(message_of<NotFound>([&] {
              Plugin::load(folder + "nowhere.so");
            }).find("there is no PJRT plugin '" + folder + "nowhere.so'"),
            std::string::npos);
  EXPECT_NE(message_of<InvalidArgument>([&] { Plugin::load(folder); }).find("is not a file"),
            std::string::npos);

  const std::string text = folder + "text.so";
  std::ofstream(text) << "no library at all";
  const std::string invalid = message_of<InvalidArgument>([&] { Plugin::load(text); });
  EXPECT_NE(invalid.find("text.so' cannot be loaded"), std::string::npos) << invalid;

  // A library of another machine: the header of this one, with the machine's number changed.
  FakePlugin fake;
  std::ifstream original(fake.path(), std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(original)), {});
  bytes[18] = static_cast<char>(0xb7);  // e_machine: AArch64
  const std::string other = folder + "other_machine.so";
  std::ofstream(other, std::ios::binary) << bytes;
  const std::string machine = message_of<InvalidArgument>([&] { Plugin::load(other); });
  EXPECT_NE(machine.find("other_machine.so' cannot be loaded: it is a library for AArch64"),
            std::string::npos)
      << machine;
  EXPECT_NE(machine.find("expected a PJRT plugin for this machine"), std::string::npos) << machine;

  const std::string entry = message_of<InvalidArgument>(
      [] { Plugin::load(fake_plugin_file("pjrt_fake_without_entry")); });
  EXPECT_NE(entry.find("has no GetPjrtApi"), std::string::npos) << entry;
}

TEST(Plugin, RefusesAnotherMajorVersion) {
  FakePlugin fake;
  fake->major = 1;
  const std::string text = message_of<Unavailable>([&] { Plugin::load(fake.path()); });
  EXPECT_NE(text.find("speaks PJRT 1.90, expected a version 0.x"), std::string::npos) << text;
}

// A table that ends before a slot: what lies after it is never called.
TEST(Plugin, CallsNothingBehindTheEndOfTheTable) {
  FakePlugin shorter;
  shorter->functions = abi::Entry<abi::ExecutableDeserializeAndLoadArgs>::slot;
  const auto client = DeviceClient::create(Plugin::load(shorter.path()));
  const std::string text = message_of<Unimplemented>([&] { client->load("serialized"); });
  EXPECT_NE(text.find("(PJRT 0.90) has no PJRT_Executable_DeserializeAndLoad"), std::string::npos)
      << text;

  FakePlugin shortest;
  shortest->functions = 2;
  EXPECT_NE(message_of<Unavailable>([&] {
              Plugin::load(shortest.path());
            }).find("too few to report errors"),
            std::string::npos);
  FakePlugin errors_only;
  errors_only->functions = 3;
  const PluginPtr plugin = Plugin::load(errors_only.path());
  EXPECT_EQ(plugin->stablehlo_version(), "");
  EXPECT_THROW(DeviceClient::create(plugin), Unimplemented);
  EXPECT_THROW(TopologyDescription(plugin, "v3-8"), Unimplemented);
}

// Each call of opening a plugin, and of taking its devices, hangs until it is released.
struct HangRow {
  const char* function;
  const char* what;
  const char* phase;
  const char* last;  // what the thread that was left behind calls last
};
const HangRow hang_rows[] = {
    {"GetPjrtApi", "opening", "GetPjrtApi", "PJRT_Plugin_Attributes"},
    {"PJRT_Plugin_Initialize", "opening", "PJRT_Plugin_Initialize", "PJRT_Plugin_Attributes"},
    {"PJRT_Plugin_Attributes", "opening", "PJRT_Plugin_Attributes", "PJRT_Plugin_Attributes"},
    {"PJRT_Client_Create", "taking the devices of", "PJRT_Client_Create", "PJRT_Client_Destroy"},
    {"PJRT_DeviceDescription_Kind", "taking the devices of", "listing the devices",
     "PJRT_Client_Destroy"},
};

TEST(Plugin, NamesThePhaseInWhichItHangs) {
  for (const HangRow& row : hang_rows) {
    FakePlugin fake;
    fake->hangs_in = row.function;
    const std::string text = message_of<DeadlineExceeded>([&] {
      const PluginPtr plugin = Plugin::load(fake.path(), {.deadline_seconds = 0.5});
      DeviceClient::create(plugin, {.deadline_seconds = 0.5});
    });
    EXPECT_NE(text.find(str(row.what, " ", fake.path(), " took longer than 0.5 seconds; it is in ",
                            row.phase)),
              std::string::npos)
        << text;
    fake.release(row.last);
  }
}

struct ErrorRow {
  int32_t code;
  const char* kind;
};
const ErrorRow error_rows[] = {
    {1, "Cancelled"},         {2, "Internal"},          {3, "InvalidArgument"},
    {4, "DeadlineExceeded"},  {5, "NotFound"},          {6, "InvalidArgument"},
    {7, "PermissionDenied"},  {8, "ResourceExhausted"}, {9, "FailedPrecondition"},
    {10, "Unavailable"},      {11, "OutOfRange"},       {12, "Unimplemented"},
    {13, "Internal"},         {14, "Unavailable"},      {15, "DataLoss"},
    {16, "PermissionDenied"}, {77, "Internal"},
};

TEST(Plugin, MapsEveryCodeOfAnError) {
  FakePlugin fake;
  const PluginPtr plugin = Plugin::load(fake.path());
  for (const ErrorRow& row : error_rows) {
    fake.fail_at(0, row.code);
    try {
      DeviceClient::create(plugin);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), row.kind) << row.code;
      EXPECT_NE(std::string(error.what()).find("PJRT_Client_Create: "), std::string::npos);
      EXPECT_NE(std::string(error.what()).find("made to fail"), std::string::npos);
    }
    EXPECT_EQ(fake->live, 0);
  }
}

TEST(Plugin, SurvivesAnErrorWithoutAMessage) {
  FakePlugin fake;
  const PluginPtr plugin = Plugin::load(fake.path());
  fake.fail_at(0, 5);
  fake->fail_message = nullptr;
  const std::string text = message_of<NotFound>([&] { DeviceClient::create(plugin); });
  EXPECT_NE(text.find("PJRT_Client_Create: NOT_FOUND: (the plugin gives no message)"),
            std::string::npos)
      << text;
}

TEST(Plugin, RefusesAClientWithoutDevices) {
  FakePlugin fake;
  fake->devices = 0;
  EXPECT_THROW(DeviceClient::create(Plugin::load(fake.path())), Unavailable);
  EXPECT_EQ(fake->live, 0);
}

TEST(PluginDeathTest, KeepsTheExitStatusWhenThePluginDiesAtTheEnd) {
  const auto run = [] {
    Plugin::load(fake_plugin_file("pjrt_fake_dies"));
    std::exit(7);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(7), "crashed while the process was exiting");
}

TEST(CompileOptions, AreTheBytesThatLibtpuTakes) {
  // As JAX's own options serialize the same fields.
  EXPECT_EQ(
      serialize({.replicas = 4}),
      std::string("\x1a\x0f\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x20\x04\x28\x01", 17));
  EXPECT_EQ(
      serialize({.partitions = 8}),
      std::string("\x1a\x11\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x20\x01\x28\x08\x30\x01",
                  19));
}

}  // namespace
}  // namespace systolic
