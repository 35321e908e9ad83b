#include "backends/cpu/client.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/ir/builder/builder.h"

namespace systolic {
namespace {

using ir::Builder;

using ir::Module;
using ir::Value;
using runtime::BufferPtr;
using runtime::Placement;

Module new_module() {
  Module module;
  module.functions.emplace_back();
  return module;
}

Literal row(std::initializer_list<float> values) { return Literal::of<float>(values); }

TEST(SoftwareTpu, DefaultsToAllCoresOfAV38) {
  const runtime::ClientPtr client = cpu::open_software_tpu();
  EXPECT_EQ(client->cores(), 8);
  EXPECT_EQ(client->kind().name, "v3-8");
  EXPECT_EQ(cpu::open_software_tpu("v5e-4", 2)->cores(), 2);
  EXPECT_THROW(cpu::open_software_tpu("v3-8", 9), InvalidArgument);
}

TEST(SoftwareTpu, CountsSubnormalsAsZeroUnlessItKeepsThem) {
  constexpr float subnormal = 4e-39f;
  for (const bool kept : {false, true}) {
    const runtime::ClientPtr client = cpu::open_software_tpu("v3-8", 1, nullptr, kept);
    Module module = new_module();
    Builder b(module.main());
    const Value x = b.argument({DType::f32, {2}});
    b.result(x * 0.5);
    const BufferPtr argument = client->from_host(row({subnormal, 1}));
    const Literal halves = client->compile(module)->execute({argument})[0]->to_literal();
    EXPECT_EQ(halves.data<float>()[0], kept ? subnormal / 2 : 0) << kept;
    EXPECT_EQ(halves.data<float>()[1], 0.5f);
  }
}

TEST(SoftwareTpu, RunsAProgram) {
  const runtime::ClientPtr client = cpu::open_software_tpu("v3-8", 1);
  Module module = new_module();
  Builder b(module.main());
  const Value x = b.argument({DType::f32, {2, 2}}), w = b.argument({DType::f32, {2, 2}});
  b.result(ir::dot(x, w) + x * 2.0);
  const auto program = client->compile(module);
  const auto results = program->execute({client->from_host(Literal::of<float>({{1, 2}, {3, 4}})),
                                         client->from_host(Literal::of<float>({{1, 1}, {0, 1}}))});
  EXPECT_EQ(results.at(0)->to_literal(), Literal::of<float>({{3, 7}, {9, 15}}));
  EXPECT_GT(program->cost().flops, 16);
  EXPECT_GE(client->counters(0).flops, program->cost().flops);
}

// p - g with p donated.
Module update_module(int64_t size = 3) {
  Module module = new_module();
  Builder b(module.main());
  const Value p = b.argument({DType::f32, {size}}, {.name = "p", .aliases_result = 0});
  const Value g = b.argument({DType::f32, {size}});
  b.result(p - g);
  return module;
}

TEST(SoftwareTpu, UpdatesDonatedMemoryInPlace) {
  const runtime::ClientPtr client = cpu::open_software_tpu("v3-8", 1);
  const auto program = client->compile(update_module());
  EXPECT_EQ(program->memory().temporaries, 0);
  BufferPtr p = client->from_host(row({1, 2, 3}));
  const BufferPtr g = client->from_host(row({1, 1, 1}));
  for (int step = 0; step < 2; ++step) {
    std::vector<BufferPtr> arguments{std::move(p), g};
    p = program->execute(std::move(arguments)).at(0);
  }
  EXPECT_EQ(p->to_literal(), row({-1, 0, 1}));
  EXPECT_EQ(client->memory_in_use(0), 24);
}

TEST(SoftwareTpu, CopiesADonatedArgumentThatSomebodyHolds) {
  const runtime::ClientPtr client = cpu::open_software_tpu("v3-8", 1);
  const auto program = client->compile(update_module());
  const BufferPtr p = client->from_host(row({1, 2, 3}));
  const BufferPtr g = client->from_host(row({1, 1, 1}));
  EXPECT_EQ(program->execute({p, g}).at(0)->to_literal(), row({0, 1, 2}));
  EXPECT_EQ(p->to_literal(), row({1, 2, 3}));
  // Twice the same buffer: one of them donated.
  EXPECT_EQ(program->execute({p, p}).at(0)->to_literal(), row({0, 0, 0}));
}

// Arrays too large to be copied at once are shared between host and device.
TEST(SoftwareTpu, NeitherHostNorDeviceSeesWhatTheOtherWrites) {
  const runtime::ClientPtr client = cpu::open_software_tpu("v3-8", 1);
  for (const int64_t size : {3, 1 << 15}) {
    const auto program = client->compile(update_module(size));
    const auto filled = [&](double value) { return Literal::filled(DType::f32, {size}, value); };
    const BufferPtr one = client->from_host(filled(1));
    std::vector<float> others(static_cast<size_t>(size), 5);
    Literal own = filled(5), wrapped = Literal::wrap(DType::f32, {size}, others.data(), nullptr);
    for (Literal* host : {&own, &wrapped}) {
      BufferPtr p = client->from_host(*host);
      // The host writes.
      host->mutable_data<float>()[0] = 7;
      others[0] = 7;
      EXPECT_EQ(p->to_literal(), filled(5));
      // The device writes over what it was given.
      Literal at_host = p->to_literal();
      std::vector<BufferPtr> arguments{std::move(p), one};
      p = program->execute(std::move(arguments)).at(0);
      EXPECT_EQ(at_host, filled(5));
      EXPECT_EQ(host->number_at(0), 7);
      EXPECT_EQ(host->number_at(size - 1), 5);
      // And over what the host has read.
      at_host = p->to_literal();
      arguments = {std::move(p), one};
      p = program->execute(std::move(arguments)).at(0);
      EXPECT_EQ(at_host, filled(4));
      at_host.mutable_data<float>()[1] = 9;
      EXPECT_EQ(p->to_literal(), filled(3));
      others[0] = 5;
    }
  }
}

TEST(SoftwareTpu, KeepsArgumentsThatBecomeOtherResults) {
  const runtime::ClientPtr client = cpu::open_software_tpu("v3-8", 1);
  Module module = new_module();
  Builder b(module.main());
  const Value x = b.argument({DType::f32, {2}}, {.name = "x", .aliases_result = 0});
  const Value y = b.argument({DType::f32, {2}}, {.name = "y", .aliases_result = 1});
  b.result(y);
  b.result(x);
  b.result(x + y);
  const auto results = client->compile(module)->execute(
      {client->from_host(row({1, 2})), client->from_host(row({3, 4}))});
  EXPECT_EQ(results.at(0)->to_literal(), row({3, 4}));
  EXPECT_EQ(results.at(1)->to_literal(), row({1, 2}));
  EXPECT_EQ(results.at(2)->to_literal(), row({4, 6}));
}

TEST(SoftwareTpu, ResetFreesBuffers) {
  const runtime::ClientPtr client = cpu::open_software_tpu("v3-8", 1);
  const BufferPtr x = client->from_host(row({1, 2}));
  EXPECT_EQ(client->memory_in_use(0), 8);
  client->reset();
  EXPECT_TRUE(x->deleted());
  EXPECT_EQ(client->memory_in_use(0), 0);
  EXPECT_THROW(x->to_literal(), FailedPrecondition);
}

TEST(SoftwareTpu, SplitsShardedArraysInItsAccounts) {
  const runtime::ClientPtr client = cpu::open_software_tpu("v3-8");
  const Placement rows{.kind = Placement::Kind::sharded, .sharding = ir::Sharding::along(0, 2, 8)};
  const BufferPtr x = client->from_host(Literal::zeros(DType::f32, {16, 4}), rows);
  EXPECT_EQ(client->memory_in_use(3), 2 * 4 * 4);
  EXPECT_EQ(x->core_literal(7).shape(), Shape({2, 4}));
  Literal stacked(DType::i32, {8});
  for (int i = 0; i < 8; ++i) stacked.mutable_data<int32_t>()[static_cast<size_t>(i)] = i;
  const BufferPtr ids = client->from_host(stacked, {.kind = Placement::Kind::per_core});
  EXPECT_EQ(ids->type().shape, Shape());
  EXPECT_EQ(ids->core_literal(5).item<int32_t>(), 5);
  EXPECT_EQ(ids->to_literal(), stacked);
}

// The message of compiling `module` on one v3 core; empty where it fits.
std::string memory_message(const Module& module) {
  const runtime::ClientPtr client = cpu::open_software_tpu("v3-8", 1);
  try {
    client->compile(module, {.name = "train_step"});
  } catch (const ResourceExhausted& error) {
    return error.what();
  }
  return "";
}

TEST(SoftwareTpu, SaysWhatDoesNotFit) {
  Module module = new_module();
  Builder b(module.main());
  const auto gigabytes = [](int64_t count) { return ir::Type{DType::f32, {count, 1 << 28}}; };
  const Value p =
      b.argument(gigabytes(5), {.name = "p", .aliases_result = 0, .role = ir::Role::parameter});
  const Value m = b.argument(gigabytes(10),
                             {.name = "m", .aliases_result = 1, .role = ir::Role::optimizer_state});
  const Value x = b.argument(gigabytes(3), {.name = "x"});
  b.result(p * 2.0);
  b.result(m * 3.0);
  b.result(x * 2.0);
  const std::string text = memory_message(module);
  EXPECT_NE(text.find("train_step needs 21.00 GB on each core: 5.00 GB parameters, 10.00 GB "
                      "optimizer state, 3.00 GB inputs and metrics, 3.00 GB results, 0 B "
                      "activations, 0 B temporaries, expected at most 16.00 GB"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("TPU v3"), std::string::npos) << text;
}

// A forward pass that keeps what its backward pass needs:
//   y[i + 1] = tanh(y[i] · w), then the y[i] once more, from the last to the first.
TEST(SoftwareTpu, TellsActivationsFromTemporaries) {
  Module module = new_module();
  Builder b(module.main());
  const int64_t size = int64_t{1} << 15;  // 4 GB a matrix
  const Value w = b.argument({DType::f32, {size, size}}, {.role = ir::Role::parameter});
  std::vector<Value> kept{w};
  for (int i = 0; i < 4; ++i) kept.push_back(ir::dot(kept.back(), w));
  Value back = kept.back();
  for (auto y = kept.rbegin() + 1; y != kept.rend(); ++y) back = ir::dot(back, *y);
  b.result(ir::reduce_sum(back, {0, 1}));
  const std::string text = memory_message(module);
  EXPECT_NE(text.find(": 4.00 GB parameters, 0 B optimizer state"), std::string::npos) << text;
  // At the most, in the first product of the way back, the first two of the way there wait.
  EXPECT_NE(text.find("8.00 GB activations"), std::string::npos) << text;
}

TEST(SoftwareTpu, ChecksArguments) {
  const runtime::ClientPtr client = cpu::open_software_tpu("v3-8", 1);
  const auto program = client->compile(update_module(), {.name = "step"});
  const BufferPtr three = client->from_host(row({1, 2, 3}));
  const BufferPtr two = client->from_host(row({1, 2}));
  EXPECT_THROW(program->execute({three}), InvalidArgument);
  EXPECT_THROW(program->execute({three, two}), InvalidArgument);
  const BufferPtr elsewhere = cpu::open_software_tpu("v3-8", 1)->from_host(row({1, 2, 3}));
  EXPECT_THROW(program->execute({three, elsewhere}), InvalidArgument);
  EXPECT_FALSE(three->deleted());
  EXPECT_THROW(client->from_host(Literal::scalar("text")), InvalidArgument);
}

}  // namespace
}  // namespace systolic
