#include "backends/cpu/executable.h"

#include <gtest/gtest.h>

#include <cstring>
#include <new>

#include "backends/cpu/buffer.h"
#include "backends/cpu/lower/lower_block.h"
#include "backends/cpu/plan/planner.h"
#include "systolic/base/error.h"
#include "systolic/ir/builder/builder.h"

namespace systolic {
namespace {

using cpu::CpuBuffer;
using cpu::CpuExecutable;
using cpu::Plan;
using runtime::BufferPtr;

// Two parameters updated in place, one after the other, by gradients that come from a product:
//   y = x · w;  p' = p - sum of y's rows;  q' = q * p'
// The barriers keep the three apart, so that each is a step of its own.
struct Program {
  ir::Module module;
  Plan plan;
  cpu::Signature signature;

  Program() {
    module.functions.emplace_back();
    ir::Builder b(module.main());
    b.layer_path = ir::intern("net/dense");
    const auto line = [&](int number) { b.location = {"train.cc", number}; };
    const ir::Value x = b.argument({DType::f32, {3, 2}}), w = b.argument({DType::f32, {2, 3}});
    const ir::Value p = b.argument({DType::f32, {3}}, {.name = "p", .aliases_result = 0});
    const ir::Value q = b.argument({DType::f32, {3}}, {.name = "q", .aliases_result = 1});
    line(11);
    const ir::Value y = dot(x, w);
    line(12);
    const ir::Value p_new = p - ir::reduce_sum(y, {0});
    line(13);
    const ir::Value apart[] = {p_new};
    const ir::Value q_new = q * b.append(ir::OpCode::optimization_barrier, apart, {}, {})[0];
    b.result(p_new);
    b.result(q_new);
    cpu::Planner planner(module, module.main(), 1, cpu::lower_block);
    plan = planner.finish();
    for (const ir::ValueId value : module.main().body.arguments)
      signature.arguments.push_back({.type = module.main().type(value), .parameter = {}});
    for (size_t i = 0; i < 4; ++i) signature.arguments[i].parameter = module.main().arguments[i];
    for (const ir::ValueId value : module.main().body.results)
      signature.results.push_back({.type = module.main().type(value), .parameter = {}});
  }
};

class FailingRun : public ::testing::Test {
 protected:
  // In memory of its own, which a program may overwrite.
  BufferPtr buffer(const Literal& literal) {
    const auto block =
        std::make_shared<cpu::MemoryBlock>(static_cast<int64_t>(literal.byte_size()));
    std::memcpy(block->data(), literal.raw(), literal.byte_size());
    return buffer(literal, block);
  }
  BufferPtr buffer(const Literal& literal, const cpu::MemoryBlockPtr& block) {
    return std::make_shared<CpuBuffer>(engine_, ir::Type{literal.dtype(), literal.shape()},
                                       runtime::Placement{}, block);
  }
  std::vector<BufferPtr> arguments() {
    return {buffer(Literal::of<float>({{1, 2}, {3, 4}, {5, 6}})),
            buffer(Literal::of<float>({{1, 0, 1}, {0, 1, 1}})), buffer(p_), buffer(q_)};
  }
  // Runs the program with `run` in the place of step `step`.
  template <class Kind>
  std::string message(std::vector<BufferPtr>& given, size_t step,
                      std::function<void(const cpu::Frame&)> run, runtime::ExecuteOptions options) {
    Program program;
    if (step < program.plan.steps.size()) program.plan.steps[step].run = std::move(run);
    CpuExecutable executable(engine_, "train_step", std::move(program.plan), program.signature);
    try {
      executable.execute(std::move(given), options);
    } catch (const Kind& error) {
      return error.what();
    }
    return "(nothing was thrown)";
  }

  std::shared_ptr<cpu::Engine> engine_ = std::make_shared<cpu::Engine>(parse_tpu_kind("v3-8"), 1);
  Literal p_ = Literal::of<float>({1, 2, 3}), q_ = Literal::of<float>({4, 5, 6});
};

void device_fails(const cpu::Frame&) { raise<Unavailable>({.what = "the device stopped"}); }

TEST_F(FailingRun, NamesStepOpLayerAndLine) {
  std::vector<BufferPtr> given = arguments();
  const std::string text = message<Unavailable>(given, 0, device_fails, {.step = 17});
  EXPECT_EQ(text,
            "step 17 of train_step, dot [3,2] x [2,3] f32 in net/dense: the device stopped.\n"
            "  at train.cc:11");
}

TEST_F(FailingRun, MakesErrorsOfOtherExceptions) {
  std::vector<BufferPtr> given = arguments();
  const auto no_memory = [](const cpu::Frame&) { throw std::bad_alloc(); };
  EXPECT_NE(message<ResourceExhausted>(given, 0, no_memory, {}).find("this machine has no memory"),
            std::string::npos);
  const auto other = [](const cpu::Frame&) { throw std::runtime_error("bad primitive"); };
  const std::string text = message<Internal>(given, 0, other, {});
  EXPECT_NE(text.find("train_step, dot"), std::string::npos) << text;
  EXPECT_NE(text.find("bad primitive"), std::string::npos) << text;
}

TEST_F(FailingRun, GivesDonatedMemoryBackThatNothingWasWrittenTo) {
  const size_t steps = Program().plan.steps.size();
  ASSERT_GE(steps, 3u);
  std::vector<BufferPtr> given = arguments();
  message<Unavailable>(given, 0, device_fails, {});
  for (const BufferPtr& argument : given) ASSERT_FALSE(argument->deleted());
  EXPECT_EQ(given[2]->to_literal(), p_);
  EXPECT_EQ(given[3]->to_literal(), q_);
  // And the same buffers may be given again.
  Program program;
  CpuExecutable executable(engine_, "train_step", program.plan, program.signature);
  const auto results = executable.execute(std::move(given), {});
  EXPECT_EQ(results[0]->to_literal(), Literal::of<float>({-8, -10, -18}));
  EXPECT_EQ(results[1]->to_literal(), Literal::of<float>({-32, -50, -108}));
}

TEST_F(FailingRun, DeletesWhatWasOverwritten) {
  const Program program;
  const std::vector<int64_t>& first = program.plan.first_overwrite;
  ASSERT_EQ(first.size(), 4u);
  EXPECT_EQ(first[0], -1);
  EXPECT_EQ(first[1], -1);
  ASSERT_GT(first[2], 0);
  ASSERT_GT(first[3], first[2]);
  std::vector<BufferPtr> given = arguments();
  message<Unavailable>(given, static_cast<size_t>(first[3]), device_fails, {});
  EXPECT_FALSE(given[0]->deleted());
  EXPECT_TRUE(given[2]->deleted());
  EXPECT_TRUE(given[3]->deleted());  // the step may have written a part

  given = arguments();
  message<Unavailable>(given, static_cast<size_t>(first[2]), device_fails, {});
  EXPECT_TRUE(given[2]->deleted());
  EXPECT_EQ(given[3]->to_literal(), q_);
}

// What the host may still read is copied before it is overwritten.
TEST_F(FailingRun, KeepsWhatTheHostOwns) {
  std::vector<BufferPtr> given = arguments();
  given[2] = buffer(p_, std::make_shared<cpu::MemoryBlock>(p_));
  message<Unavailable>(given, static_cast<size_t>(Program().plan.first_overwrite[3]), device_fails,
                       {});
  EXPECT_EQ(given[2]->to_literal(), p_);
  EXPECT_TRUE(given[3]->deleted());
}

// A step needs no second array beside what the host has given away, not even the first step.
TEST_F(FailingRun, WritesToWhatTheHostGaveAway) {
  std::vector<BufferPtr> given = arguments();
  given[2] = buffer(p_, std::make_shared<cpu::MemoryBlock>(Literal::of<float>({1, 2, 3})));
  message<Unavailable>(given, static_cast<size_t>(Program().plan.first_overwrite[3]), device_fails,
                       {});
  EXPECT_TRUE(given[2]->deleted());
}

TEST_F(FailingRun, KeepsWhatSomebodyElseHolds) {
  std::vector<BufferPtr> given = arguments();
  const BufferPtr p = given[2];
  message<Unavailable>(given, 2, device_fails, {});
  EXPECT_EQ(p->to_literal(), p_);
}

TEST_F(FailingRun, NamesTheAskingLineWhereNoOpIsToBlame) {
  std::vector<BufferPtr> given = arguments();
  static_cast<CpuBuffer&>(*given[3]).release();
  const std::string text =
      message<FailedPrecondition>(given, 99, nullptr, {.step = 3, .location = {"main.cc", 40}});
  EXPECT_NE(text.find("step 3 of train_step"), std::string::npos) << text;
  EXPECT_NE(text.find("at main.cc:40"), std::string::npos) << text;
  EXPECT_EQ(given[2]->to_literal(), p_);  // taken before q was found to be gone
}

}  // namespace
}  // namespace systolic
