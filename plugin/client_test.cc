// Devices as a process sees them that is one of two.
#include "plugin/client.h"

#include <gtest/gtest.h>

#include "backends/cpu/client.h"
#include "plugin/serve.h"
#include "systolic/base/test_errors.h"
#include "systolic/runtime/test_process_client.h"

namespace systolic {
namespace {

using namespace plugin;

template <class Args, class Handle>
Args answer(Handle Args::*member, Handle handle) {
  Args args{};
  args.*member = handle;
  serve(args);
  return args;
}

TEST(PluginClient, OfOneOfTwoProcessesHasDevicesOfBoth) {
  plugin::Client client(std::make_shared<runtime::ProcessClient>(cpu::open_software_tpu("v3-8", 4),
                                                                 runtime::Processes{2, 1}),
                        std::chrono::seconds(1));
  auto* theirs = handle<abi::Client>(&client);
  EXPECT_EQ(answer(&abi::ClientProcessIndexArgs::client, theirs).index, 1);
  const auto all = answer(&abi::ClientDevicesArgs::client, theirs);
  ASSERT_EQ(all.count, 8u);
  const auto own = answer(&abi::ClientAddressableDevicesArgs::client, theirs);
  ASSERT_EQ(own.count, 4u);
  EXPECT_EQ(answer(&abi::ClientMemoriesArgs::client, theirs).count, 4u);
  for (int id = 0; id < 8; ++id) {
    abi::Device* device = all.devices[id];
    auto* description = answer(&abi::DeviceGetDescriptionArgs::device, device).description;
    EXPECT_EQ(answer(&abi::DeviceDescriptionIdArgs::description, description).id, id);
    EXPECT_EQ(answer(&abi::DeviceDescriptionProcessIndexArgs::description, description).index,
              id / 4);
    EXPECT_EQ(answer(&abi::DeviceIsAddressableArgs::device, device).addressable, id >= 4);
    EXPECT_EQ(answer(&abi::DeviceLocalHardwareIdArgs::device, device).id, id % 4);
    EXPECT_EQ(answer(&abi::DeviceMemoriesArgs::device, device).count, id >= 4 ? 1u : 0u);
    if (id >= 4) {
      EXPECT_EQ(own.devices[id - 4], device);
    }
  }
  abi::ClientLookupAddressableDeviceArgs lookup{};
  lookup.client = theirs;
  lookup.local_hardware_id = 3;
  serve(lookup);
  EXPECT_EQ(lookup.device, all.devices[7]);
  lookup.local_hardware_id = 4;
  EXPECT_CONTAINS(error_of([&] { serve(lookup); }), "device 4");
}

}  // namespace
}  // namespace systolic
