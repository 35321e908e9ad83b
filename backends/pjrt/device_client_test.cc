// The wrappers around a plugin's things, with every call failing in turn.
#include "backends/pjrt/device_client.h"

#include <gtest/gtest.h>

#include <set>

#include "backends/pjrt/api/topology_description.h"
#include "backends/pjrt/fake_plugin_test.h"
#include "systolic/base/test_errors.h"

namespace systolic {
namespace {

using namespace pjrt;

Literal numbers() { return Literal::of<float>({{1, 2, 3}, {4, 5, 6}}); }

TEST(DeviceClient, ListsDevicesById) {
  FakePlugin fake;
  fake->devices = 3;
  const auto client = DeviceClient::create(Plugin::load(fake.path()));
  EXPECT_EQ(client->platform_name(), "tpu");
  EXPECT_EQ(client->platform_version(), "");  // the fake gives a null text with a length
  ASSERT_EQ(client->devices().size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(client->devices()[i].description.id, static_cast<int>(i));
    EXPECT_EQ(client->devices()[i].description.kind, "TPU v3");
    EXPECT_EQ(client->devices()[i].description.text, "FAKE_" + std::to_string(i));
  }
  EXPECT_EQ(memory_of(*client->api(), client->devices()[0].device)->in_use, 4096);
}

TEST(DeviceClient, KnowsWhichProcessHasWhichDevices) {
  FakePlugin fake;
  fake->devices = 8;
  fake->processes = 2;
  fake->process = 1;
  const auto client = DeviceClient::create(Plugin::load(fake.path()));
  EXPECT_EQ(client->topology(),
            runtime::Topology({0, 0, 1, 1, 0, 0, 1, 1}, {.count = 2, .index = 1}));
  ASSERT_EQ(client->devices().size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(client->devices()[i].description.id, client->topology().addressable_cores()[i]);
    EXPECT_EQ(client->devices()[i].description.process, 1);
  }
}

TEST(DeviceClient, OfAProcessWithoutDevicesIsUnavailable) {
  FakePlugin fake;
  fake->processes = 2;
  fake->process = 1;
  const auto plugin = Plugin::load(fake.path());
  EXPECT_CONTAINS(message_of<Unavailable>([&] { DeviceClient::create(plugin); }),
                  "has no device for this process");
}

TEST(DeviceClient, CopiesArraysThereAndBack) {
  FakePlugin fake;
  const auto client = DeviceClient::create(Plugin::load(fake.path()));
  for (const Literal& literal :
       {numbers(), Literal::scalar(int32_t{7}), Literal::of<bool>({true, false}),
        Literal::zeros(DType::f32, {0, 3})}) {
    const DeviceBuffer buffer = client->copy(literal, 1);
    EXPECT_EQ(buffer.to_host(), literal);
    EXPECT_FALSE(buffer.deleted());
    buffer.remove();
    EXPECT_TRUE(buffer.deleted());
    EXPECT_THROW(buffer.to_host(), InvalidArgument);
  }
  EXPECT_THROW(client->copy(Literal::scalar("text"), 0), Unimplemented);
}

TEST(DeviceClient, RunsOnEachDeviceWithWhatIsItsOwn) {
  FakePlugin fake;
  fake->results = {{1, 10}, {0, 0}};
  fake->donates = {0, 1};
  const auto client = DeviceClient::create(Plugin::load(fake.path()));
  const auto program = client->compile("func.func", serialize({.replicas = 2}));
  ASSERT_EQ(program->devices(), (std::vector<size_t>{0, 1}));
  std::vector<DeviceBuffer> buffers;
  for (float value : {1.0f, 2.0f, 3.0f, 4.0f}) {
    buffers.push_back(client->copy(Literal::scalar(value), buffers.size() / 2));
  }
  const auto run = program->execute(
      {{buffers[0].get(), buffers[1].get()}, {buffers[2].get(), buffers[3].get()}}, {1});
  for (const Event& event : run.complete) event.await();
  EXPECT_EQ(run.results[0][0].to_host(), Literal::scalar(12.0f));
  EXPECT_EQ(run.results[0][1].to_host(), Literal::scalar(1.0f));
  EXPECT_EQ(run.results[1][0].to_host(), Literal::scalar(14.0f));
  EXPECT_EQ(run.results[1][1].to_host(), Literal::scalar(3.0f));
  EXPECT_TRUE(buffers[0].deleted());   // donated
  EXPECT_FALSE(buffers[1].deleted());  // not
}

TEST(DeviceClient, CompilesForTheDevicesAskedFor) {
  FakePlugin fake;
  fake->devices = 4;
  const auto client = DeviceClient::create(Plugin::load(fake.path()));
  const auto program =
      client->compile("func.func", serialize({.replicas = 2, .device_ids = {3, 1}}));
  EXPECT_EQ(program->devices(), (std::vector<size_t>{3, 1}));
  EXPECT_EQ(fake->device_ids, (std::vector<int64_t>{3, 1}));
}

TEST(DeviceClient, CallsAProgramThatDoesNotParseTheCallersFault) {
  FakePlugin fake;
  const auto client = DeviceClient::create(Plugin::load(fake.path()));
  const std::string text =
      message_of<InvalidArgument>([&] { client->compile("nonsense", serialize({})); });
  EXPECT_NE(text.find("PJRT_Client_Compile: UNKNOWN: -:1:1: error: no function"), std::string::npos)
      << text;
}

TEST(DeviceClient, OutlivedByWhatItMade) {
  FakePlugin fake;
  {
    std::shared_ptr<LoadedProgram> program;
    std::vector<DeviceBuffer> buffers;
    {
      const auto client = DeviceClient::create(Plugin::load(fake.path()));
      buffers.push_back(client->copy(numbers(), 0));
      program = client->compile("func.func", serialize({}));
    }
    EXPECT_EQ(buffers[0].to_host(), numbers());
    EXPECT_GT(fake->live, 0);
  }
  EXPECT_EQ(fake->live, 0);
}

// Everything that the wrappers can do, once.
void use(const PluginPtr& plugin) {
  const auto client = DeviceClient::create(plugin);
  const DeviceBuffer x = client->copy(numbers(), 0), y = client->copy(numbers(), 1);
  const auto program = client->compile("func.func", serialize({.replicas = 2}));
  const CompiledProgram compiled = program->compiled();
  EXPECT_EQ(compiled.memory().temporaries, 50);
  EXPECT_EQ(std::get<float>(compiled.cost().at("flops")), 1000);
  const auto again = client->load(compiled.serialize());
  const Run run = again->execute({{x.get()}, {y.get()}}, {});
  run.complete[0].await();
  EXPECT_TRUE(run.complete[1].ready());
  EXPECT_EQ(run.results[1][0].to_host(), Literal::of<float>({{2, 3, 4}, {5, 6, 7}}));
  run.results[0][0].ready().await();
  EXPECT_EQ(x.device_bytes(), 512);
  x.remove();
  EXPECT_TRUE(x.deleted());
  memory_of(*client->api(), client->devices()[0].device);
  EXPECT_EQ(TopologyDescription(plugin, "v3-8").compile("func.func", serialize({})).memory().code,
            1);
}

// The k-th call fails, for every k: the error says which call, and nothing is left behind. A
// failure to destroy is nobody's news, and one to be told when host memory is free means waiting
// for it.
TEST(DeviceClient, SurvivesTheFailureOfEachCall) {
  FakePlugin fake;
  std::set<std::string> passed_over, reported;
  bool loaded = false;
  for (int64_t call = 0;; ++call) {
    fake.fail_at(call);
    std::string text;
    try {
      const PluginPtr plugin = Plugin::load(fake.path());
      if (!loaded) {  // the calls of loading have failed, each in its turn; now the others
        loaded = true;
        call = -1;
        continue;
      }
      use(plugin);
    } catch (const Internal& error) {
      text = error.what();
    }
    EXPECT_EQ(fake->live, 0) << call << " " << fake->failed;
    if (fake->failed.empty()) break;
    if (text.empty()) {
      passed_over.insert(fake->failed);
    } else {
      reported.insert(fake->failed);
      EXPECT_NE(text.find(fake->failed + ": INTERNAL: made to fail"), std::string::npos) << text;
    }
  }
  EXPECT_GT(reported.size(), 25u);
  for (const std::string& name : passed_over) {
    EXPECT_TRUE(name.find("_Destroy") != std::string::npos || name == "PJRT_Event_OnReady") << name;
  }
}

}  // namespace
}  // namespace systolic
