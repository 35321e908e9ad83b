// A served software TPU against one of this process.
#include <gtest/gtest.h>

#include "backends/cpu/client.h"
#include "systolic/base/test_errors.h"
#include "systolic/ir/builder/builder.h"
#include "systolic/remote/remote_client.h"
#include "systolic/remote/serve.h"

namespace systolic {
namespace {

using namespace ir;
using Placing = runtime::Placement;

Literal ramp(const Shape& shape) {
  Literal x(DType::f32, shape);
  auto values = x.mutable_data<float>();
  for (size_t i = 0; i < values.size(); ++i) values[i] = 0.1f * static_cast<float>(i % 23) - 1;
  return x;
}

Module step_of(int cores) {
  Module module;
  module.name = "step";
  module.num_partitions = cores;
  module.functions.emplace_back();
  Builder b(module.main(), &module);
  const Value x = b.argument({DType::f32, {8, 3}}, {.sharding = Sharding::along(0, 2, cores)});
  const Value w = b.argument({DType::f32, {3, 2}}, {.name = "w", .aliases_result = 0});
  const Value y = unary(OpCode::tanh, dot(x, w));
  b.result(w - dot_general(x, y, {{}, {}, {0}, {0}, {}, true}) * 0.01);
  b.result(y, {.sharding = Sharding::along(0, 2, cores)});
  return module;
}

Module per_core_of(int cores) {
  Module module;
  module.num_replicas = cores;
  module.functions.emplace_back();
  Builder b(module.main(), &module);
  const Value x = b.argument({DType::f32, {3}});
  b.result(all_reduce(x, OpCode::add));
  b.result(x * x);
  return module;
}

class RemoteTest : public testing::Test {
 protected:
  void SetUp() override {
    server_ = remote::serve(cpu::open_software_tpu("v3-8", 4),
                            {.address = "127.0.0.1:0", .token = "secret", .most_bytes = 1 << 22});
  }
  runtime::ClientPtr client(const std::string& token = "secret", int cores = 0) {
    return remote::open_remote(str("127.0.0.1:", server_->port()),
                               {.cores = cores, .token = token, .connect_seconds = 10});
  }
  std::unique_ptr<remote::Served> server_;
};

std::vector<Literal> run_steps(runtime::Client& device) {
  const auto program = device.compile(step_of(device.cores()));
  const auto x = device.from_host(
      ramp({8, 3}), {Placing::Kind::sharded, Sharding::along(0, 2, device.cores()), 0});
  auto w = device.from_host(ramp({3, 2}));
  std::vector<Literal> values;
  for (int step = 0; step < 4; ++step) {
    std::vector<runtime::BufferPtr> arguments{x, std::move(w)};
    auto results = program->execute(std::move(arguments));
    values.push_back(results[1]->to_literal());
    w = std::move(results[0]);
  }
  values.push_back(w->to_literal());
  return values;
}

bool same_bits(const Literal& a, const Literal& b) {
  return a.shape() == b.shape() && a.dtype() == b.dtype() &&
         std::equal(a.raw(), a.raw() + a.byte_size(), b.raw());
}

TEST_F(RemoteTest, StepsAreThoseOfALocalDeviceToTheBit) {
  const auto local = cpu::open_software_tpu("v3-8", 4);
  const std::vector<Literal> wanted = run_steps(*local);
  const auto device = client();
  EXPECT_EQ(device->platform(), "software_tpu");
  EXPECT_EQ(device->cores(), 4);
  const std::vector<Literal> got = run_steps(*device);
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(same_bits(got[i], wanted[i])) << i;
  EXPECT_GT(device->counters(0).flops, 0);
  EXPECT_EQ(device->compile(step_of(4))->cost().flops, local->compile(step_of(4))->cost().flops);
  EXPECT_EQ(device->compile(step_of(4))->memory().peak(),
            local->compile(step_of(4))->memory().peak());
}

TEST_F(RemoteTest, AProgramForEachCore) {
  const auto device = client(), second = client();
  for (const auto& each : {device, second}) {
    std::vector<runtime::BufferPtr> arguments{
        each->from_host(ramp({4, 3}), {Placing::Kind::per_core, {}, 0})};
    EXPECT_EQ(arguments[0]->type().shape, Shape({3}));
    const auto results = each->compile(per_core_of(4))->execute(std::move(arguments));
    EXPECT_EQ(results[1]->placement().kind, Placing::Kind::per_core);
    EXPECT_EQ(results[1]->core_literal(2).shape(), Shape({3}));
  }
}

TEST_F(RemoteTest, LargeArraysComeInPieces) {
  const auto device = client();
  const Literal x = ramp({700, 1000});
  EXPECT_TRUE(same_bits(device->from_host(x)->to_literal(), x));
  const Literal none = Literal::zeros(DType::f32, {0, 3});
  EXPECT_TRUE(same_bits(device->from_host(none)->to_literal(), none));
}

TEST_F(RemoteTest, WhatIsTooMuchOrWrongIsSaidWhereItIsRead) {
  const auto device = client();
  const auto large = device->from_host(ramp({1200, 1000}));
  EXPECT_CONTAINS(error_of([&] { large->to_literal(); }),
                  "ResourceExhausted: this client's arrays would take 4.58 MB");
  const auto small = device->from_host(ramp({2, 2}));  // the session goes on
  EXPECT_TRUE(same_bits(small->to_literal(), ramp({2, 2})));
  std::vector<runtime::BufferPtr> wrong{small, small};
  EXPECT_CONTAINS(error_of([&] { device->compile(step_of(4))->execute(std::move(wrong)); }),
                  "InvalidArgument");
  EXPECT_CONTAINS(error_of([&] { device->from_host(Literal::scalar("text")); }),
                  "an array of strings on a device");
}

TEST_F(RemoteTest, WhoIsNotAllowedIsRefused) {
  EXPECT_CONTAINS(error_of([&] { client("guess"); }),
                  "PermissionDenied: the token is not this server's");
  EXPECT_CONTAINS(error_of([&] { client(""); }), "PermissionDenied");
  EXPECT_CONTAINS(error_of([&] { client("secret", 8); }),
                  "InvalidArgument: 8 cores of a device that has 4");
  EXPECT_CONTAINS(
      error_of([] { remote::serve(cpu::open_software_tpu("v3-8", 1), {.address = "0.0.0.0:0"}); }),
      "PermissionDenied: others reach 0.0.0.0:0, expected a token, and a certificate");
  EXPECT_CONTAINS(error_of([] { remote::open_remote("127.0.0.1:1", {.connect_seconds = 0.3}); }),
                  "Unavailable: the device at grpc://127.0.0.1:1 does not answer within 0.3 s");
}

TEST_F(RemoteTest, AServerThatEndsIsSaid) {
  const auto device = client();
  const auto x = device->from_host(ramp({2, 2}));
  server_->stop();
  EXPECT_CONTAINS(error_of([&] { x->to_literal(); }), "Unavailable: the connection to grpc://127.");
}

TEST_F(RemoteTest, FreedArraysMakeRoom) {
  const auto device = client();
  for (int i = 0; i < 20; ++i) {
    const auto x = device->from_host(ramp({500, 1000}));
    EXPECT_EQ(x->to_literal().size(), 500'000);
  }
}

}  // namespace
}  // namespace systolic
