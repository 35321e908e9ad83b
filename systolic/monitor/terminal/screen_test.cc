// Runs as text.
#include "systolic/monitor/terminal/screen.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "systolic/base/terminal.h"
#include "systolic/base/test_errors.h"
#include "systolic/base/text.h"
#include "systolic/monitor/terminal/condition.h"
#include "systolic/monitor/terminal/curve.h"
#include "systolic/monitor/terminal/numbers.h"

namespace systolic {
namespace {

using monitor::Health;
using monitor::ProcessState;
using monitor::RunState;
using monitor::RunStatus;

std::unique_ptr<RunStatus> a_run() {
  auto status = std::make_unique<RunStatus>();
  status->process = 4711;
  status->program = "mnist";
  status->name = "convnet";
  status->platform = "software_tpu";
  status->device_kind = "v3-8";
  status->begin_time = 1000;
  status->time = status->last_step_time = 1060;
  status->epoch = 1;
  status->epochs = 5;
  status->step_in_epoch = 120;
  status->steps_per_epoch = 300;
  status->steps = 420;
  status->steps_per_second = 10.25;
  status->samples_per_second = 2050;
  status->step_milliseconds = 100;
  status->loss = 0.0333;
  status->compilations = 2;
  status->all_cores = status->core_count = 8;
  for (int core = 0; core < 8; ++core) {
    status->core_list[static_cast<size_t>(core)] = {.number = core,
                                                    .mxu_percent = 0.125f,
                                                    .padded_mxu_percent = 3,
                                                    .busy_percent = 97.5f,
                                                    .input_wait_percent = 0.5f,
                                                    .idle_percent = 2,
                                                    .memory_bytes = 12 << 20,
                                                    .peak_memory_bytes = 30 << 20,
                                                    .memory_limit_bytes = int64_t{16} << 30};
  }
  status->log_list[0] = {.name = {"loss"}, .value = 0.25};
  status->log_count = 1;
  status->happening_list[0] = {.time = 1001, .kind = {"compilation"}, .text = {"train_step"}};
  status->happening_count = 1;
  status->point_count = 60;
  for (int i = 0; i < 60; ++i) {
    auto& point = status->point_list[static_cast<size_t>(i)];
    point.time = i;
    point.loss = 1.0f / static_cast<float>(i + 1);
  }
  return status;
}

TEST(MonitorScreen, ShowsTheNumbersOfTheRun) {
  const auto status = a_run();
  std::string text;
  for (const auto& line : monitor::screen(*status, {.columns = 100, .rows = 40, .now = 1060})) {
    text += line + "\n";
  }
  EXPECT_CONTAINS(text, "mnist · process 4711 · 'convnet' on software_tpu v3-8, 8 cores");
  EXPECT_CONTAINS(text, "training · 1:00");
  EXPECT_CONTAINS(text, "epoch 2/5");
  EXPECT_CONTAINS(text, "120/300");
  EXPECT_CONTAINS(text, "10.2 steps/s  2,050 samples/s  loss 0.0333");
  EXPECT_CONTAINS(text, "0.12    3.00    97.5    0.50    2.00   12.00 MB   30.00 MB   16.00 GB");
  EXPECT_CONTAINS(text, "compilation: train_step");
}

TEST(MonitorScreen, HasGaugesAndTheCurvesOfMetrics) {
  const auto status = a_run();
  status->sent_bytes = 1 << 30;
  status->sent_bytes_per_second = 3 << 20;
  status->core_list[3].memory_bytes = int64_t{8} << 30;
  const auto text = [&](int rows) {
    return join(monitor::screen(*status, {.columns = 100, .rows = rows, .now = 1060}), "\n");
  };
  EXPECT_CONTAINS(text(40),
                  "MXU ────── 0.12 %  busy ━━━━━─ 97.5 %  input ────── 0.50 %  idle ────── 2.00 %  "
                  "memory ━━━─── 50.0 %\n");
  EXPECT_EQ(text(19).find("busy ━"), std::string::npos);
  EXPECT_CONTAINS(text(40), "2 compiled, 0 again  sent to processes 3.00 MB/s");
  EXPECT_EQ(text(60).find("epochs accuracy"), std::string::npos);
  status->metric_name_list[0] = "accuracy";
  status->metric_count = 1;
  for (int epoch = 0; epoch < 2; ++epoch) {
    auto& point = status->epoch_point_list[static_cast<size_t>(epoch)];
    point.epoch = epoch;
    point.values[0] = 0.25f + 0.5f * static_cast<float>(epoch);
  }
  status->epoch_point_count = 2;
  EXPECT_CONTAINS(text(60), "epochs accuracy   0.7500");
}

TEST(MonitorScreen, FitsTerminalsOfAnySize) {
  const auto status = a_run();
  for (const int columns : {1, 2, 7, 20, 40, 79, 80, 200}) {
    for (const int rows : {1, 2, 5, 10, 24, 60}) {
      const auto lines = monitor::screen(*status, {.columns = columns, .rows = rows});
      EXPECT_LE(lines.size(), rows);
      for (const auto& line : lines) EXPECT_LE(columns_of(line), columns) << columns << line;
    }
  }
}

// What does not fit is left out by its rank, and lines of numbers are broken.
TEST(MonitorScreen, KeepsWhatCountsMostWhereItIsNarrow) {
  const auto status = a_run();
  status->core_list[0].collective_bytes_per_second = 1536;
  const auto text = [&](int columns) {
    return join(monitor::screen(*status, {.columns = columns, .rows = 40, .now = 1060}), "\n");
  };
  EXPECT_CONTAINS(text(100), "   16.00 GB      1.50 KB/s\n");
  EXPECT_EQ(text(80).find("collectives"), std::string::npos);
  EXPECT_CONTAINS(text(80), "   16.00 GB\n");
  EXPECT_CONTAINS(text(40),
                  " core   MXU % input %  idle %     memory\n"
                  "    0    0.12    0.50    2.00   12.00 MB\n");
  EXPECT_CONTAINS(text(39), " core   MXU %  idle %     memory\n    0    0.12    2.00   12.00 MB\n");
  EXPECT_CONTAINS(text(40), "10.2 steps/s  2,050 samples/s\nloss 0.0333  2 compiled, 0 again\n");
  EXPECT_CONTAINS(text(40), "  120/300  step 420\n");
}

TEST(MonitorScreen, ShowsWhatTheDevicesSoftwareSays) {
  const auto status = a_run();
  status->device_metric_list[0] = {
      .name = {"tpu.runtime.tensorcore.dutycycle.percent"}, .device = 0, .value = 93.5};
  status->device_metric_list[1] = {
      .name = {"tpu.runtime.hbm.memory.usage.bytes"}, .device = 0, .value = 3221225472.0};
  status->device_metric_list[2] = {
      .name = {"tpu.runtime.tensorcore.dutycycle.percent"}, .device = 1, .value = 7.5};
  status->device_metric_count = 3;
  const auto text = join(monitor::screen(*status, {.columns = 100, .rows = 40, .now = 1060}), "\n");
  EXPECT_CONTAINS(text, "tpu.runtime.tensorcore.dutycycle.percent  0: 93.5  1: 7.50\n");
  EXPECT_CONTAINS(text, "tpu.runtime.hbm.memory.usage.bytes  0: 3.00 GB\n");
}

TEST(MonitorScreen, HasColorsWhereTheyAreWanted) {
  const auto status = a_run();
  const auto text = [&](bool color) { return join(monitor::screen(*status, {.color = color})); };
  EXPECT_CONTAINS(text(true), "\x1b[32m");
  EXPECT_EQ(text(false).find('\x1b'), std::string::npos);
}

TEST(MonitorScreen, SaysItInALine) {
  EXPECT_CONTAINS(monitor::status_line(*a_run(), ProcessState::there, 1060),
                  " process 4711 'convnet' training: epoch 2/5, step 420, 10.2 steps/s, loss "
                  "0.0333, MXU 0.12 %, busy 97.5 %, input 0.50 %, idle 2.00 %, memory 12.00 MB, at "
                  "most 30.00 MB");
}

TEST(Condition, SaysWhetherTheRunIsWell) {
  struct Case {
    RunState state;
    ProcessState process;
    double time, last_step, now;
    Health health;
    const char* text;
  };
  constexpr ProcessState there = ProcessState::there, gone = ProcessState::gone;
  const Case cases[] = {
      {RunState::training, there, 100, 100, 101, Health::well, "training"},
      {RunState::validating, there, 100, 100, 101, Health::well, "validating"},
      {RunState::ended, gone, 100, 100, 900, Health::over, "ended"},
      {RunState::interrupted, there, 100, 100, 101, Health::over, "interrupted"},
      {RunState::failed, gone, 100, 100, 101, Health::bad, "failed: out of memory"},
      {RunState::training, gone, 100, 100, 101, Health::bad, "crashed or was killed"},
      {RunState::training, there, 100, 100, 110, Health::doubtful, "silent for 10 s"},
      {RunState::training, ProcessState::stopped, 100, 100, 101, Health::doubtful, "stopped: kill"},
      {RunState::training, there, 142, 100, 142, Health::doubtful, "no step for 42 s"},
  };
  for (const Case& one : cases) {
    RunStatus status;
    status.state = one.state;
    status.time = one.time;
    status.last_step_time = one.last_step;
    status.step_milliseconds = 100;
    status.failure = "out of memory";
    const auto condition = monitor::condition_of(status, one.process, one.now);
    EXPECT_EQ(condition.health, one.health) << one.text;
    EXPECT_CONTAINS(condition.text, one.text);
  }
}

TEST(Curve, IsDrawnInDots) {
  const float rising[] = {0, 1, 2, 3}, flat[] = {5, 5}, gap[] = {0, NAN, 0, 0};
  EXPECT_EQ(monitor::curve(rising, 2, 1, 0, 3), std::vector<std::string>{"⡠⠊"});
  EXPECT_EQ(monitor::curve(flat, 1, 1, 5, 5), std::vector<std::string>{"⣀"});
  EXPECT_EQ(monitor::curve(gap, 2, 1, 0, 1), std::vector<std::string>{"⡀⣀"});
  EXPECT_EQ(monitor::curve({}, 2, 2, 0, 1), (std::vector<std::string>{"  ", "  "}));
}

TEST(Numbers, AreShort) {
  EXPECT_EQ(monitor::percent_text(0.4249), "0.42");
  EXPECT_EQ(monitor::percent_text(98.12), "98.1");
  EXPECT_EQ(monitor::percent_text(0.00074), "0.0007");
  EXPECT_EQ(monitor::percent_text(0), "0.00");
  EXPECT_EQ(monitor::percent_text(NAN), "-");
  EXPECT_EQ(monitor::time_text(0.0001), "0.0001 s");
  EXPECT_EQ(monitor::time_text(42.9), "42 s");
  EXPECT_EQ(monitor::time_text(3723), "1:02:03");
  EXPECT_EQ(monitor::time_text(1e300), "-");
  EXPECT_EQ(monitor::rate_text(2040.4), "2,040");
}

}  // namespace
}  // namespace systolic
