// What the sampler says of a run on the software TPU, and what watching costs its steps.
#include "systolic/monitor/sampler/sampler.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <stdexcept>
#include <thread>

#include "backends/cpu/client.h"
#include "systolic/base/test_log.h"
#include "systolic/events/training_run.h"
#include "systolic/ir/builder/builder.h"
#include "systolic/monitor/sampler/process_start.h"
#include "systolic/runtime/sends_to_processes.h"

namespace systolic {
namespace {

using monitor::RunState;
using monitor::RunStatus;
using monitor::Sampler;

// x · w of 256 rows over all cores.
ir::Module product(int64_t cores) {
  ir::Module module;
  module.functions.emplace_back();
  module.num_partitions = cores;
  ir::Builder b(module.main(), &module);
  const ir::Sharding rows = ir::Sharding::along(0, 2, cores);
  const ir::Value x = b.argument({DType::f32, {256, 256}}, {.sharding = rows});
  const ir::Value w = b.argument({DType::f32, {256, 128}});
  b.result(ir::dot(x, w), {.sharding = rows});
  return module;
}

// By hand: each of 8 cores does 2 * 32 * 256 * 128 a run, all of it in whole tiles; a core of a v3
// can do 61.5e12 a second.
TEST(Sampler, MatrixUnitsPercentageOfAKnownProgram) {
  const runtime::ClientPtr device = cpu::open_software_tpu("v3-8");
  const auto program = device->compile(product(8));
  const runtime::Placement rows{.kind = runtime::Placement::Kind::sharded,
                                .sharding = ir::Sharding::along(0, 2, 8)};
  const auto x = device->from_host(Literal::zeros(DType::f32, {256, 256}), rows);
  const auto w = device->from_host(Literal::zeros(DType::f32, {256, 128}));
  Sampler sampler({.device = [&] { return device; }});
  const double busy_before = sampler.look().core_list[3].busy_seconds;
  constexpr int runs = 50;
  for (int i = 0; i < runs; ++i) program->execute({x, w});
  const RunStatus& status = sampler.look();
  ASSERT_EQ(status.core_count, 8);
  const monitor::CoreStatus& core = status.core_list[3];
  constexpr double done = runs * 2.0 * 32 * 256 * 128, peak = 61.5e12;
  const double possible = peak * (core.busy_seconds - busy_before);
  EXPECT_NEAR(core.mxu_percent, 100 * done / possible, 1e-4 * core.mxu_percent);
  EXPECT_NEAR(core.padded_mxu_percent, core.mxu_percent, 1e-4 * core.mxu_percent);
  EXPECT_NEAR(core.busy_percent + core.input_wait_percent + core.idle_percent, 100, 1e-2);
  EXPECT_EQ(core.memory_bytes, 256 * 256 * 4 / 8 + 256 * 128 * 4);
  EXPECT_GT(core.peak_memory_bytes, core.memory_bytes);
  EXPECT_EQ(core.memory_limit_bytes, device->kind().generation.memory_bytes_per_core);
  EXPECT_EQ(status.platform.view(), "software_tpu");
}

TEST(Sampler, ShowsWhatTheRunSays) {
  Sampler sampler({});
  {
    TrainingRun run(
        {.name = "gan", .epochs = 3, .steps = 4, .batch_size = 5, .sinks = {sampler.watch_run()}});
    run.begin_epoch(1);
    run.publish(events::RunBegin{.name = "gan", .epochs = 3, .steps = 4});
    run.end_step();
    run.end_step({.loss = 0.25});
    run.publish(events::Compilation{.program = "train_step", .milliseconds = 2.5});
    run.publish(events::Recompilation{.program = "step", .reason = "'x' was f32[2]"});
    const RunStatus& status = sampler.look();
    EXPECT_EQ(status.state, RunState::training);
    EXPECT_EQ(status.name.view(), "gan");
    EXPECT_EQ(status.epoch, 1);
    EXPECT_EQ(status.step_in_epoch, 2);
    EXPECT_EQ(status.steps, 2);
    EXPECT_EQ(status.samples, 10);
    EXPECT_EQ(status.loss, 0.25);
    EXPECT_EQ(status.loss_step, 1);
    EXPECT_EQ(status.compilations, 1);
    EXPECT_EQ(status.recompilations, 1);
    ASSERT_EQ(status.happenings().size(), 2);
    EXPECT_EQ(status.happenings()[1].text.view(), "step: 'x' was f32[2]");
    run.publish(events::EvaluationBegin{});
    EXPECT_EQ(sampler.look().state, RunState::validating);
    run.publish(events::EvaluationEnd{});
    run.end_epoch({{"loss", 0.5}, {"accuracy", 0.75}});
    EXPECT_TRUE(std::isnan(sampler.look().sent_bytes));  // there is no other process
  }
  const RunStatus& status = sampler.look();
  EXPECT_EQ(status.state, RunState::ended);
  ASSERT_EQ(status.logs().size(), 2);
  EXPECT_EQ(status.logs()[1].name.view(), "accuracy");
  EXPECT_EQ(status.logs()[1].value, 0.75);
  ASSERT_EQ(status.epoch_points().size(), 1);
  EXPECT_EQ(status.epoch_points()[0].values[1], 0.75f);
  EXPECT_EQ(status.process_start, monitor::process_start(status.process));
}

// The software TPU as one of several processes that have sent so many bytes.
class OneOfSeveral final : public runtime::Client, public runtime::SendsToProcesses {
 public:
  std::string platform() const override { return own_->platform(); }
  const TpuKind& kind() const override { return own_->kind(); }
  const runtime::Topology& topology() const override { return own_->topology(); }
  runtime::BufferPtr from_host(const Literal& x, const runtime::Placement& place) override {
    return own_->from_host(x, place);
  }
  runtime::ExecutablePtr compile(const ir::Module& module,
                                 const runtime::CompileOptions& options) override {
    return own_->compile(module, options);
  }
  runtime::CoreCounters counters(int core) const override { return own_->counters(core); }
  void reset_counters() override { own_->reset_counters(); }
  void add_input_wait(double seconds) override { own_->add_input_wait(seconds); }
  int64_t memory_in_use(int core) const override { return own_->memory_in_use(core); }
  void reset() override { own_->reset(); }
  int64_t sent_bytes() const override { return sent; }

  int64_t sent = 0;

 private:
  const runtime::ClientPtr own_ = cpu::open_software_tpu("v3-8");
};

TEST(Sampler, ShowsWhatProcessesSendEachOther) {
  const auto device = std::make_shared<OneOfSeveral>();
  Sampler sampler({.device = [&] { return device; }, .interval = std::chrono::hours(1)});
  const EventSinkPtr watch = sampler.watch_run();
  sampler.look();
  device->sent = 1 << 20;
  std::this_thread::sleep_for(std::chrono::milliseconds(2));  // a rate needs some time
  const RunStatus& status = sampler.look();
  EXPECT_EQ(status.sent_bytes, 1 << 20);
  EXPECT_GT(status.sent_bytes_per_second, 0);
  device->sent = 0;  // as after reset_counters()
  EXPECT_EQ(sampler.look().sent_bytes, 0);
  device->sent = -1;
  EXPECT_TRUE(std::isnan(sampler.look().sent_bytes));
}

TEST(Sampler, OneThatShowsItAndThrowsIsToldNothingMore) {
  const CaughtLog log;
  int throwing = 0, others = 0;
  {
    Sampler sampler({.interval = std::chrono::milliseconds(1)});
    sampler.publish_to([&](const RunStatus&) {
      ++throwing;
      throw std::runtime_error("the disk is full");
    });
    sampler.publish_to([&](const RunStatus&) { ++others; });
    TrainingRun run({.sinks = {sampler.watch_run()}});
    run.publish(events::RunBegin{});
    run.end_epoch({});
    run.publish(events::RunEnd{});
  }
  EXPECT_EQ(throwing, 1);
  EXPECT_GE(others, 1);
  EXPECT_EQ(log.warnings(), "The run goes on, and is shown no more: the disk is full\n");
}

TEST(ProcessStart, IsOfLivingProcesses) {
  EXPECT_GT(monitor::process_start(getpid()), 0);
  EXPECT_EQ(monitor::process_start(0x7FFFFFFF), -1);
}

TEST(ProcessState, IsThatOfTheSameProcess) {
  using monitor::ProcessState;
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  const int64_t start = monitor::process_start(child);
  EXPECT_EQ(monitor::process_state(child, start), ProcessState::there);
  EXPECT_EQ(monitor::process_state(child, start + 1), ProcessState::gone);  // of the same number
  kill(child, SIGSTOP);
  int status = 0;
  waitpid(child, &status, WUNTRACED);
  EXPECT_EQ(monitor::process_state(child, start), ProcessState::stopped);
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  EXPECT_EQ(monitor::process_state(child, start), ProcessState::gone);
}

}  // namespace
}  // namespace systolic
