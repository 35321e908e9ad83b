// The plugin as its callers see it: loaded by backends/pjrt, driven through the C interface.
#include <gtest/gtest.h>

#include <numeric>

#include "backends/pjrt/device_client.h"
#include "systolic/base/test_errors.h"

namespace systolic {
namespace {

using pjrt::BuildOptions;
using pjrt::DeviceBuffer;
using pjrt::DeviceClientPtr;

DeviceClientPtr& opened() {
  static DeviceClientPtr client;
  return client;
}
DeviceClientPtr client() {
  if (!opened()) opened() = pjrt::DeviceClient::create(pjrt::Plugin::load(SYSTOLIC_PJRT_PLUGIN));
  return opened();
}

// Closed before the process ends: then nothing of a plugin is called any more, and it would leak.
class ClosesTheClient : public ::testing::Environment {
  void TearDown() override { opened().reset(); }
};
const ::testing::Environment* const closes_the_client =
    ::testing::AddGlobalTestEnvironment(new ClosesTheClient);

std::vector<float> counted(int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

Literal literal(std::vector<float> values, Shape shape = {}) {
  if (shape.rank() == 0) shape = Shape{static_cast<int64_t>(values.size())};
  return Literal::from(values, shape);
}

std::vector<float> floats(const DeviceBuffer& buffer) {
  const Literal host = buffer.to_host();
  return {host.data<float>().begin(), host.data<float>().end()};
}

// Runs a program; arguments[device][argument].
struct Ran {
  std::vector<std::vector<DeviceBuffer>> arguments, results;
};
Ran run(const std::string& text, const BuildOptions& options,
        const std::vector<std::vector<Literal>>& arguments) {
  Ran ran;
  const auto program = client()->compile(text, pjrt::serialize(options));
  std::vector<std::vector<pjrt::abi::Buffer*>> handles;
  for (size_t device = 0; device < arguments.size(); ++device) {
    auto& buffers = ran.arguments.emplace_back();
    auto& row = handles.emplace_back();
    for (const Literal& argument : arguments[device]) {
      buffers.push_back(client()->copy(argument, program->devices()[device]));
      row.push_back(buffers.back().get());
    }
  }
  ran.results = program->execute(handles, {}).results;
  return ran;
}

TEST(Plugin, HasEightDevicesAndSaysWhatItReads) {
  EXPECT_EQ(client()->platform_name(), "systolic");
  ASSERT_EQ(client()->devices().size(), 8u);
  EXPECT_EQ(client()->devices()[3].description.id, 3);
  EXPECT_EQ(client()->devices()[3].description.kind, "Software TPU v3");
  EXPECT_EQ(client()->devices()[3].description.text, "SYSTOLIC_3");
  EXPECT_NE(client()->plugin()->stablehlo_version(), "");
  const auto memory = pjrt::memory_of(*client()->api(), client()->devices()[0].device);
  ASSERT_TRUE(memory.has_value());
  EXPECT_EQ(memory->limit, int64_t{16} << 30);
}

TEST(Plugin, TakesTheSliceByOption) {
  const auto small = pjrt::DeviceClient::create(
      client()->plugin(), {.values = {{"tpu", "v4-8"}, {"cores", int64_t{2}}}});
  EXPECT_EQ(small->devices().size(), 2u);
  EXPECT_EQ(small->devices()[0].description.kind, "Software TPU v4");
  EXPECT_NE(message_of([] {
              pjrt::DeviceClient::create(client()->plugin(), {.values = {{"color", "red"}}});
            }).find("option color"),
            std::string::npos);
}

const Literal round_trips[] = {Literal::scalar<float>(3),
                               Literal::of<bool>({true, false, true}),
                               Literal::of<int8_t>({-1, 2}),
                               Literal::of<uint64_t>({1, ~uint64_t{0}}),
                               Literal::of<double>({{1, 2, 3}, {4, 5, 6}}),
                               Literal::of<std::complex<float>>({{1, 2}, {3, -4}}),
                               Literal(DType::bf16, {0, 3}),
                               Literal::filled(DType::bf16, {2, 2}, 1.5)};

TEST(Plugin, KeepsArraysOfEveryKind) {
  for (const Literal& array : round_trips) {
    const DeviceBuffer buffer = client()->copy(array, 5);
    EXPECT_EQ(buffer.dtype(), array.dtype());
    EXPECT_EQ(buffer.to_host(), array) << to_string(array);
    EXPECT_FALSE(buffer.deleted());
    buffer.remove();
    EXPECT_TRUE(buffer.deleted());
    EXPECT_NE(message_of<FailedPrecondition>([&] { buffer.to_host(); }).find("gone"),
              std::string::npos);
  }
}

TEST(Plugin, RunsAProgramOnOneDevice) {
  const std::string text =
      "module @axpy {\n"
      "func.func @main(%a: tensor<f32>, %x: tensor<3xf32>) -> (tensor<3xf32>, tensor<f32>) {\n"
      "  %0 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<3xf32>\n"
      "  %1 = stablehlo.multiply %0, %x : tensor<3xf32>\n"
      "  %2 = stablehlo.add %a, %a : tensor<f32>\n"
      "  return %1, %2 : tensor<3xf32>, tensor<f32>\n"
      "}\n}";
  const Ran ran = run(text, {.device_ids = {6}}, {{Literal::scalar(2.0f), literal({1, 2, 3})}});
  EXPECT_EQ(floats(ran.results[0][0]), (std::vector<float>{2, 4, 6}));
  EXPECT_EQ(floats(ran.results[0][1]), (std::vector<float>{4}));
}

// x is cut over 8 devices by rows, w is everywhere: x w, and the sum of x over the rows.
const char* const sharded =
    "module @step attributes {mhlo.num_partitions = 8 : i32} {\n"
    "  sdy.mesh @mesh = <[\"x\"=4, \"y\"=2]>\n"
    "  func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, "
    "{\"y\"}]>}, %w: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<8xf32> "
    "{sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}, tensor<4xf32>) {\n"
    "    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, "
    "tensor<4xf32>) -> tensor<8xf32>\n"
    "    %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "    %1 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : "
    "(tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>\n"
    "    return %0, %1 : tensor<8xf32>, tensor<4xf32>\n"
    "  }\n}";

TEST(Plugin, PutsShardsTogetherAndSplitsResults) {
  const std::vector<float> x = counted(32);
  const Literal w = literal({1, 10, 100, 1000});
  std::vector<std::vector<Literal>> arguments;
  for (int64_t device = 0; device < 8; ++device) {
    const int64_t row = device / 2 * 2, column = device % 2 * 2;
    std::vector<float> part;
    for (int64_t i = 0; i < 2; ++i) {
      for (int64_t k = 0; k < 2; ++k)
        part.push_back(x[static_cast<size_t>((row + i) * 4 + column + k)]);
    }
    arguments.push_back({literal(part, {2, 2}), w});
  }
  const Ran ran = run(sharded, {.partitions = 8}, arguments);
  for (size_t device = 0; device < 8; ++device) {
    std::vector<float> product, sums;
    for (size_t row = device / 2 * 2; row < device / 2 * 2 + 2; ++row) {
      const float* r = &x[row * 4];
      product.push_back(r[0] + 10 * r[1] + 100 * r[2] + 1000 * r[3]);
    }
    // Nothing says how the sums of columns lie: as the columns do.
    for (size_t column = device % 2 * 2; column < device % 2 * 2 + 2; ++column) {
      sums.push_back(8 * (static_cast<float>(column) + 1) + 4 * 28);
    }
    EXPECT_EQ(floats(ran.results[device][0]), product) << device;
    EXPECT_EQ(floats(ran.results[device][1]), sums) << device;
  }
}

// Each core scales its part by its number, then all parts are added up.
const char* const manual =
    "module @manual attributes {mhlo.num_partitions = 4 : i32} {\n"
    "  \"sdy.mesh\"() <{sym_name = \"m\", mesh = #sdy.mesh<[\"x\"=4]>}> : () -> ()\n"
    "  func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{\"x\"}]>}) -> "
    "(tensor<8xf32>, tensor<2xf32>) {\n"
    "    %0:2 = \"sdy.manual_computation\"(%a) <{in_shardings = "
    "#sdy.sharding_per_value<[<@m, [{\"x\"}]>]>, out_shardings = "
    "#sdy.sharding_per_value<[<@m, [{\"x\"}]>, <@m, [{}]>]>, manual_axes = "
    "#sdy<manual_axes{\"x\"}>}> ({\n"
    "    ^bb0(%b: tensor<2xf32>):\n"
    "      %id = \"stablehlo.partition_id\"() : () -> tensor<ui32>\n"
    "      %f = stablehlo.convert %id : (tensor<ui32>) -> tensor<f32>\n"
    "      %g = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<2xf32>\n"
    "      %s = stablehlo.multiply %b, %g : tensor<2xf32>\n"
    "      %1 = \"stablehlo.all_reduce\"(%s) <{channel_handle = "
    "#stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> "
    ": tensor<1x4xi64>, use_global_device_ids}> ({\n"
    "      ^bb0(%c: tensor<f32>, %d: tensor<f32>):\n"
    "        %2 = stablehlo.add %c, %d : tensor<f32>\n"
    "        stablehlo.return %2 : tensor<f32>\n"
    "      }) : (tensor<2xf32>) -> tensor<2xf32>\n"
    "      \"sdy.return\"(%s, %1) : (tensor<2xf32>, tensor<2xf32>) -> ()\n"
    "    }) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<2xf32>)\n"
    "    return %0#0, %0#1 : tensor<8xf32>, tensor<2xf32>\n"
    "  }\n}";

TEST(Plugin, RunsManualComputationsOnEachPart) {
  std::vector<std::vector<Literal>> arguments;
  for (float device : {0, 1, 2, 3})
    arguments.push_back({literal({2 * device + 1, 2 * device + 2})});
  const Ran ran = run(manual, {.partitions = 4, .device_ids = {7, 5, 3, 1}}, arguments);
  for (size_t device = 0; device < 4; ++device) {
    const auto d = static_cast<float>(device);
    EXPECT_EQ(floats(ran.results[device][0]),
              (std::vector<float>{d * (2 * d + 1), d * (2 * d + 2)}));
    EXPECT_EQ(floats(ran.results[device][1]), (std::vector<float>{34, 40}));
  }
}

TEST(Plugin, RunsReplicasInLockstep) {
  const std::string text =
      "module attributes {mhlo.num_replicas = 8 : i32} {\n"
      "func.func @main(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {\n"
      "  %1 = \"stablehlo.all_reduce\"(%a) <{replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : "
      "tensor<1x8xi64>}> ({\n"
      "  ^bb0(%c: tensor<f32>, %d: tensor<f32>):\n"
      "    %2 = stablehlo.add %c, %d : tensor<f32>\n"
      "    stablehlo.return %2 : tensor<f32>\n"
      "  }) : (tensor<2xf32>) -> tensor<2xf32>\n"
      "  %3 = stablehlo.subtract %1, %a : tensor<2xf32>\n"
      "  return %1, %3 : tensor<2xf32>, tensor<2xf32>\n"
      "}\n}";
  std::vector<std::vector<Literal>> arguments;
  for (float device = 0; device < 8; ++device) arguments.push_back({literal({device, 1})});
  const Ran ran = run(text, {.replicas = 8}, arguments);
  for (size_t device = 0; device < 8; ++device) {
    EXPECT_EQ(floats(ran.results[device][0]), (std::vector<float>{28, 8}));
    EXPECT_EQ(floats(ran.results[device][1]),
              (std::vector<float>{28 - static_cast<float>(device), 7}));
  }
}

// Two replicas of four partitions: a is cut over the partitions, and added up over the replicas.
TEST(Plugin, RunsReplicasOfPartitions) {
  const std::string text =
      "module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 2 : i32} {\n"
      "sdy.mesh @m = <[\"x\"=4]>\n"
      "func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{\"x\"}]>}, "
      "%b: tensor<f32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{\"x\"}]>}, "
      "tensor<f32>) {\n"
      "  %0 = \"stablehlo.all_reduce\"(%a) <{replica_groups = dense<[[0, 1]]> : "
      "tensor<1x2xi64>}> ({\n"
      "  ^bb0(%c: tensor<f32>, %d: tensor<f32>):\n"
      "    %1 = stablehlo.add %c, %d : tensor<f32>\n"
      "    stablehlo.return %1 : tensor<f32>\n"
      "  }) : (tensor<8xf32>) -> tensor<8xf32>\n"
      "  %2 = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f32>) -> tensor<8xf32>\n"
      "  %3 = stablehlo.multiply %0, %2 : tensor<8xf32>\n"
      "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
      "  %4 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : "
      "(tensor<8xf32>, tensor<f32>) -> tensor<f32>\n"
      "  return %3, %4 : tensor<8xf32>, tensor<f32>\n"
      "}\n}";
  std::vector<std::vector<Literal>> arguments;
  for (float replica : {0, 1}) {
    for (float partition : {0, 1, 2, 3}) {
      const float first = 100 * replica + 2 * partition;
      arguments.push_back({literal({first, first + 1}), Literal::scalar(replica + 1)});
    }
  }
  const Ran ran = run(text, {.replicas = 2, .partitions = 4}, arguments);
  for (size_t device = 0; device < 8; ++device) {
    const auto replica = static_cast<float>(device / 4), at = static_cast<float>(2 * (device % 4));
    const float factor = replica + 1;
    EXPECT_EQ(floats(ran.results[device][0]),
              (std::vector<float>{factor * (100 + 2 * at), factor * (102 + 2 * at)}));
    EXPECT_EQ(floats(ran.results[device][1]), (std::vector<float>{800 * replica + 28}));
  }
}

// The same with a part that is written per core: what is added up is one replica's.
TEST(Plugin, RunsReplicasOfManualComputations) {
  std::string text = manual;
  const std::string groups = "dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids";
  text.replace(text.find(groups), groups.size(), "dense<[[0], [1]]> : tensor<2x1xi64>");
  const std::string partitions = "mhlo.num_partitions = 4 : i32";
  text.replace(text.find(partitions), partitions.size(),
               partitions + ", mhlo.num_replicas = 2 : i32");
  std::vector<std::vector<Literal>> arguments;
  for (float device = 0; device < 8; ++device) {
    arguments.push_back({literal({2 * device + 1, 2 * device + 2})});
  }
  const Ran ran = run(text, {.replicas = 2, .partitions = 4}, arguments);
  for (size_t device = 0; device < 8; ++device) {
    const auto d = static_cast<float>(device), partition = static_cast<float>(device % 4);
    EXPECT_EQ(floats(ran.results[device][0]),
              (std::vector<float>{partition * (2 * d + 1), partition * (2 * d + 2)}));
    const float more = device < 4 ? 0 : 48;  // 8 more in each part, times 0 + 1 + 2 + 3
    EXPECT_EQ(floats(ran.results[device][1]), (std::vector<float>{34 + more, 40 + more}));
  }
}

const char* const counter =
    "func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {\n"
    "  %0 = stablehlo.add %a, %a : tensor<4xf32>\n"
    "  return %0 : tensor<4xf32>\n}";

TEST(Plugin, DonatedArgumentsAreGone) {
  const Ran ran = run(counter, {}, {{literal({1, 2, 3, 4})}});
  EXPECT_TRUE(ran.arguments[0][0].deleted());
  EXPECT_EQ(floats(ran.results[0][0]), (std::vector<float>{2, 4, 6, 8}));
}

// A result of another shape takes it, where it is as large; one that is smaller does not.
TEST(Plugin, DonatedArgumentsArePairedBySize) {
  const char* const reshaped =
      "func.func @main(%a: tensor<4xf32> {jax.buffer_donor = true}, "
      "%b: tensor<3xf32> {jax.buffer_donor = true}) -> (tensor<2xf32>, tensor<2x2xf32>) {\n"
      "  %0 = stablehlo.reshape %a : (tensor<4xf32>) -> tensor<2x2xf32>\n"
      "  %1 = stablehlo.slice %b [0:2] : (tensor<3xf32>) -> tensor<2xf32>\n"
      "  return %1, %0 : tensor<2xf32>, tensor<2x2xf32>\n}";
  const Ran ran = run(reshaped, {}, {{literal({1, 2, 3, 4}), literal({5, 6, 7})}});
  EXPECT_TRUE(ran.arguments[0][0].deleted());
  EXPECT_FALSE(ran.arguments[0][1].deleted());
  EXPECT_EQ(floats(ran.results[0][0]), (std::vector<float>{5, 6}));
  EXPECT_EQ(floats(ran.results[0][1]), (std::vector<float>{1, 2, 3, 4}));
}

TEST(Plugin, KeepsWhatTheCallerDoesNotDonate) {
  const auto program = client()->compile(counter, pjrt::serialize(BuildOptions{}));
  const DeviceBuffer x = client()->copy(literal({1, 2, 3, 4}), 0);
  const auto results = program->execute({{x.get()}}, {0}).results;
  EXPECT_FALSE(x.deleted());
  EXPECT_EQ(floats(x), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(floats(results[0][0]), (std::vector<float>{2, 4, 6, 8}));
}

TEST(Plugin, SaysWhichArgumentsShareWhatIsDonated) {
  const char* const sum =
      "module @sum { func.func @main(%a: tensor<2xf32> {tf.aliasing_output = 0 : i32}, "
      "%b: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %0 = stablehlo.add %a, %b : tensor<2xf32>\n"
      "  return %0 : tensor<2xf32>\n} }";
  const auto program = client()->compile(sum, pjrt::serialize(BuildOptions{}));
  const DeviceBuffer x = client()->copy(literal({1, 2}), 0), y = client()->copy(literal({3, 4}), 0);
  EXPECT_CONTAINS(message_of<FailedPrecondition>([&] {
                    program->execute({{x.get(), x.get()}}, {});
                  }),
                  "sum: arguments 0 and 1 are the same buffer, got argument 0 donated");
  EXPECT_EQ(floats(x), (std::vector<float>{1, 2}));  // nothing ran
  EXPECT_EQ(floats(program->execute({{x.get(), y.get()}}, {}).results[0][0]),
            (std::vector<float>{4, 6}));
  EXPECT_CONTAINS(message_of<FailedPrecondition>([&] {
                    program->execute({{x.get(), y.get()}}, {});
                  }),
                  "sum: the buffer of argument 0, f32[2], is gone");
}

TEST(Plugin, CountsWorkAndMemory) {
  const std::string text =
      "func.func @main(%a: tensor<16x32xf32>, %b: tensor<32x8xf32>) -> tensor<16x8xf32> {\n"
      "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<16x32xf32>, "
      "tensor<32x8xf32>) -> tensor<16x8xf32>\n"
      "  return %0 : tensor<16x8xf32>\n}";
  const auto compiled = client()->compile(text, pjrt::serialize(BuildOptions{}))->compiled();
  EXPECT_EQ(std::get<float>(compiled.cost().at("flops")), 2.0f * 16 * 32 * 8);
  EXPECT_EQ(compiled.memory().arguments, 4 * (16 * 32 + 32 * 8));
  EXPECT_EQ(compiled.memory().outputs, 4 * 16 * 8);
}

TEST(Plugin, LoadsWhatItSerialized) {
  const auto program = client()->compile(counter, pjrt::serialize(BuildOptions{}));
  const auto loaded = client()->load(program->compiled().serialize());
  const DeviceBuffer x = client()->copy(literal({1, 2, 3, 4}), 0);
  EXPECT_EQ(floats(loaded->execute({{x.get()}}, {}).results[0][0]),
            (std::vector<float>{2, 4, 6, 8}));
  EXPECT_NE(message_of([] { client()->load("nonsense"); }), "(nothing was thrown)");
}

struct WrongRow {
  const char* name;
  std::string text;
  BuildOptions options;
  const char* message;
};
const WrongRow wrong_rows[] = {
    {"no StableHLO", "hello", {}, "hello"},
    {"an unknown op",
     "func.func @main() { \"stablehlo.dance\"() : () -> ()\n return }",
     {},
     "dance"},
    {"bytecode cut short", "ML\xefR", {}, "program: byte 4: "},
    {"too many replicas", counter, {.replicas = 9}, "8"},
    {"too many of both", counter, {.replicas = 3, .partitions = 3}, "8"},
    {"one device twice", counter, {.partitions = 2, .device_ids = {1, 1}}, "different"},
    {"a device that is not there", counter, {.device_ids = {8}}, "below 8"},
};

TEST(Plugin, RefusesWrongPrograms) {
  for (const WrongRow& row : wrong_rows) {
    const std::string message =
        message_of([&] { client()->compile(row.text, pjrt::serialize(row.options)); });
    EXPECT_NE(message.find(row.message), std::string::npos) << row.name << ": " << message;
  }
}

TEST(Plugin, RefusesWrongArguments) {
  const auto program = client()->compile(counter, pjrt::serialize(BuildOptions{}));
  const DeviceBuffer wrong = client()->copy(literal({1, 2}), 0);
  EXPECT_NE(message_of<InvalidArgument>([&] {
              program->execute({{wrong.get()}}, {});
            }).find("argument 0, got f32[2], expected f32[4]"),
            std::string::npos);
  EXPECT_FALSE(wrong.deleted());
  EXPECT_NE(message_of<InvalidArgument>([&] { program->execute({{}}, {}); }),
            "(nothing was thrown)");
}

}  // namespace
}  // namespace systolic
