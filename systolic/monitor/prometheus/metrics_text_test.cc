// The text for Prometheus, by its rules.
#include "systolic/monitor/prometheus/metrics_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <set>

#include "systolic/base/test_errors.h"
#include "systolic/base/text.h"

namespace systolic {
namespace {

std::unique_ptr<monitor::RunStatus> one_run() {
  auto status = std::make_unique<monitor::RunStatus>();
  status->name = "a \"model\" \\";
  status->steps = 420;
  status->core_count = 2;
  status->core_list[0].mxu_percent = 0.125f;
  status->core_list[0].collective_bytes = 4096;
  status->core_list[1].collective_bytes = NAN;
  status->core_list[0].memory_bytes = int64_t{1} << 33;
  status->core_list[1].number = 1;
  status->core_list[1].idle_percent = 2.5f;
  status->log_list[0] = {.name = {"val_loss"}, .value = 0.5};
  status->log_count = 1;
  status->device_metric_list[0] = {
      .name = {"tpu.runtime.tensorcore.dutycycle.percent"}, .device = 3, .value = 87.5};
  status->device_metric_count = 1;
  return status;
}

TEST(MetricsText, HasTheNumbers) {
  const std::string text = monitor::metrics_text(*one_run());
  EXPECT_CONTAINS(text, "# TYPE systolic_step_total counter\nsystolic_step_total 420\n");
  EXPECT_CONTAINS(text, "systolic_mxu_percent{core=\"0\"} 0.125\n");
  EXPECT_CONTAINS(text, "systolic_idle_percent{core=\"1\"} 2.5\n");
  EXPECT_CONTAINS(text, "systolic_hbm_bytes{core=\"0\"} 8589934592\n");
  EXPECT_CONTAINS(text, "systolic_collective_bytes_total{core=\"0\"} 4096\n");
  EXPECT_EQ(text.find("collective_bytes_total{core=\"1\"}"), std::string::npos);  // unknown
  EXPECT_CONTAINS(text,
                  "systolic_device_metric{name=\"tpu.runtime.tensorcore.dutycycle.percent\","
                  "device=\"3\"} 87.5\n");
  EXPECT_CONTAINS(text, "systolic_epoch_metric{name=\"val_loss\"} 0.5\n");
  EXPECT_EQ(text.find("systolic_sent_bytes_total"), std::string::npos);  // of one process
  EXPECT_CONTAINS(text, "systolic_run_info{name=\"a \\\"model\\\" \\\\\",program=");
  EXPECT_EQ(text.find("mxu_percent{core=\"1\"}"), std::string::npos);  // unknown
  EXPECT_EQ(text.find("systolic_loss "), std::string::npos);
}

TEST(MetricsText, HasWhatProcessesSendEachOther) {
  const auto status = one_run();
  status->sent_bytes = 1 << 20;
  EXPECT_CONTAINS(monitor::metrics_text(*status),
                  "# TYPE systolic_sent_bytes_total counter\nsystolic_sent_bytes_total 1048576\n");
}

// Each name once, described before its values; counters end in _total, and they alone.
TEST(MetricsText, FollowsTheConventions) {
  std::set<std::string> described;
  std::string name;
  for (const std::string& line : split(monitor::metrics_text(*one_run()), '\n')) {
    if (line.empty()) continue;
    const auto words = split(line, ' ');
    if (words[1] == "HELP") {
      name = words[2];
      EXPECT_TRUE(described.insert(name).second) << name;
      EXPECT_TRUE(line.ends_with(".")) << line;
    } else if (words[1] == "TYPE") {
      EXPECT_EQ(words[2], name);
      EXPECT_EQ(words[3] == "counter", name.ends_with("_total")) << name;
    } else {
      EXPECT_EQ(line.substr(0, line.find_first_of("{ ")), name);
    }
  }
}

// What `promtool check metrics` finds wrong with names (client_golang's promlint), as far as ours
// could be.
TEST(MetricsText, HasNamesThatPromtoolAccepts) {
  const std::set<std::string> types = {"counter", "gauge", "histogram", "summary"};
  const std::set<std::string> units_not_of_base = {
      "milliseconds", "microseconds", "nanoseconds", "minutes", "hours",     "days",
      "kilobytes",    "megabytes",    "gigabytes",   "bits",    "kilograms", "fahrenheit"};
  const std::set<std::string> abbreviations = {"s",  "ms", "us", "ns", "sec", "b",
                                               "kb", "mb", "gb", "tb", "m",   "h"};
  for (const std::string& line : split(monitor::metrics_text(*one_run()), '\n')) {
    if (!line.starts_with("# TYPE ")) continue;
    const std::string name = split(line, ' ')[2];
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"), name.npos) << name;
    for (const std::string& word : split(name, '_')) {
      EXPECT_EQ(types.count(word), 0u) << name;
      EXPECT_EQ(units_not_of_base.count(word), 0u) << name;
      EXPECT_EQ(abbreviations.count(word), 0u) << name;
    }
  }
}

}  // namespace
}  // namespace systolic
