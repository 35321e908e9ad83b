// Devices of one program that are run one by one, as PyTorch/XLA does it.
#include "plugin/meeting.h"

#include <gtest/gtest.h>

#include <thread>

#include "backends/pjrt/compile_options.h"
#include "plugin/buffer.h"
#include "plugin/executable.h"
#include "plugin/serve.h"
#include "systolic/base/test_errors.h"

namespace systolic {
namespace {

using plugin::Client;
using plugin::LoadedExecutable;

// x + 1; or the sum of x over two replicas, and who the replica is.
const char* const increments =
    "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
    "  %one = stablehlo.constant dense<1.0> : tensor<2xf32>\n"
    "  %0 = stablehlo.add %x, %one : tensor<2xf32>\n"
    "  return %0 : tensor<2xf32>\n}";
const char* const sums =
    "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
    "  %0 = \"stablehlo.all_reduce\"(%x) ({\n"
    "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
    "    %s = stablehlo.add %a, %b : tensor<f32>\n"
    "    stablehlo.return %s : tensor<f32>\n"
    "  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>\n"
    "  %id = stablehlo.replica_id : tensor<ui32>\n"
    "  %f = stablehlo.convert %id : (tensor<ui32>) -> tensor<f32>\n"
    "  %g = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<2xf32>\n"
    "  %1 = stablehlo.add %0, %g : tensor<2xf32>\n"
    "  return %1 : tensor<2xf32>\n}";

std::unique_ptr<LoadedExecutable> compiled(Client& client, const char* text) {
  const std::string options = pjrt::serialize(pjrt::BuildOptions{.replicas = 2});
  return std::make_unique<LoadedExecutable>(client, plugin::compile(client, "mlir", text, options));
}

// One call for one device.
std::vector<float> run_on(LoadedExecutable& program, int64_t device, std::vector<float> x) {
  plugin::Device& on = program.client->device(device);
  const Literal literal = Literal::from(x, {static_cast<int64_t>(x.size())});
  const std::unique_ptr<plugin::Buffer> argument(
      &plugin::of(plugin::new_buffer(on, literal, pjrt::abi::ElementType::f32)));
  pjrt::abi::Buffer* handle = plugin::handle<pjrt::abi::Buffer>(argument.get());
  pjrt::abi::Buffer* const* arguments[] = {&handle};
  pjrt::abi::Buffer* result = nullptr;
  pjrt::abi::Buffer** results[] = {&result};
  pjrt::abi::LoadedExecutableExecuteArgs args{};
  args.executable = plugin::handle<pjrt::abi::LoadedExecutable>(&program);
  args.arguments = arguments;
  args.device_count = args.argument_count = 1;
  args.results = results;
  args.device = plugin::handle<pjrt::abi::Device>(&on);
  plugin::serve(args);
  const std::unique_ptr<plugin::Buffer> owned(&plugin::of(result));
  EXPECT_EQ(owned->device->id, device);
  const Literal host = owned->to_host();
  return {host.data<float>().begin(), host.data<float>().end()};
}

TEST(Meeting, ReplicasThatAskNothingOfEachOtherRunAlone) {
  Client client("v3-8", 2, std::chrono::seconds(0));
  const auto program = compiled(client, increments);
  EXPECT_EQ(run_on(*program, 1, {1, 2}), (std::vector<float>{2, 3}));
  EXPECT_EQ(run_on(*program, 0, {5, 6}), (std::vector<float>{6, 7}));
}

TEST(Meeting, ReplicasThatExchangeValuesMeet) {
  Client client("v3-8", 2, std::chrono::seconds(600));
  // Loaded by each thread for itself.
  const auto program = compiled(client, sums), again = compiled(client, sums);
  for (float round = 0; round < 20; ++round) {
    std::vector<float> first, second;
    std::thread other([&] { second = run_on(*again, 1, {10, 20 + round}); });
    first = run_on(*program, 0, {1, 2});
    other.join();
    EXPECT_EQ(first, (std::vector<float>{11, 22 + round}));
    EXPECT_EQ(second, (std::vector<float>{12, 23 + round}));
  }
}

TEST(Meeting, WhoWaitsTooLongLeavesAndMayComeAgain) {
  Client client("v3-8", 2, std::chrono::seconds(0));
  const auto program = compiled(client, sums);
  for (int64_t device : {0, 0, 1}) {
    const std::string message = message_of<DeadlineExceeded>([&] {
      run_on(*program, device, {1, 2});
    });
    EXPECT_NE(message.find(str("device ", device, " waited 0 seconds for the other 1")),
              std::string::npos)
        << message;
    EXPECT_NE(message.find("got 1 of 2 devices"), std::string::npos) << message;
  }
}

// All learn what went wrong: here in the first round, by an argument of another shape.
TEST(Meeting, AnErrorIsThatOfAll) {
  Client client("v3-8", 2, std::chrono::seconds(600));
  const auto program = compiled(client, sums);
  for (const std::vector<float>& x : {std::vector<float>{1}, std::vector<float>{1, 2}}) {
    std::string second;
    const auto run = [&](int64_t device) {
      return message_of([&] {
        run_on(*program, device, device == 0 ? x : std::vector<float>{1, 2});
      });
    };
    std::thread other([&] { second = run(1); });
    const std::string first = run(0);
    other.join();
    EXPECT_EQ(first, second);
    EXPECT_EQ(first.find("argument 0, got f32[1], expected f32[2]") != std::string::npos,
              x.size() == 1)
        << first;
  }
}

TEST(Meeting, ADeviceThatIsNotTheProgramsIsRefused) {
  Client client("v3-8", 3, std::chrono::seconds(0));
  const auto program = compiled(client, increments);
  EXPECT_NE(message_of<InvalidArgument>([&] {
              run_on(*program, 2, {1, 2});
            }).find("one of (0, 1)"),
            std::string::npos);
}

}  // namespace
}  // namespace systolic
