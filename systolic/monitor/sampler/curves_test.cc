// Curves of runs of any length have the same size.
#include "systolic/monitor/sampler/curves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "systolic/base/text.h"

namespace systolic {
namespace {

using monitor::RunStatus;

// So many seconds of a run whose loss is its time in seconds.
std::unique_ptr<RunStatus> run_of(int seconds) {
  auto status = std::make_unique<RunStatus>();
  status->begin_time = 1000;
  status->core_count = 1;
  for (int second = 1; second <= seconds; ++second) {
    status->time = status->begin_time + second;
    status->loss = second;
    status->core_list[0].memory_bytes = second == 100 ? 5000 : 10;
    monitor::add_point(*status);
  }
  return status;
}

TEST(Curves, AShortRunHasAPointASecond) {
  const auto status = run_of(300);
  ASSERT_EQ(status->point_count, 300);
  EXPECT_EQ(status->point_list[7].time, 8);
  EXPECT_EQ(status->point_list[7].loss, 8);
}

TEST(Curves, EightHoursFitInAsManyPoints) {
  const auto status = run_of(8 * 60 * 60);
  EXPECT_LE(status->point_count, static_cast<int>(monitor::most_points));
  EXPECT_GE(status->point_count, static_cast<int>(monitor::most_points) / 2);
  float highest = 0;
  for (size_t i = 1; i < status->points().size(); ++i) {
    const auto &before = status->point_list[i - 1], &point = status->point_list[i];
    EXPECT_NEAR(point.time - before.time, status->point_seconds, 1) << i;
    EXPECT_GT(point.loss, before.loss);
    highest = std::max({highest, before.memory_bytes[0], point.memory_bytes[0]});
  }
  EXPECT_EQ(highest, 5000);  // the most is kept, however short it lasted
}

TEST(EpochCurves, MetricsKeepTheirPlaces) {
  monitor::RunFacts facts;
  monitor::add_epoch_point(facts, 0, {{"loss", 0.5}, {"accuracy", 0.25}});
  monitor::add_epoch_point(facts, 1, {{"loss", 0.25}, {"accuracy", 0.5}, {"val_loss", 0.75}});
  ASSERT_EQ(facts.metric_names().size(), 3u);
  EXPECT_EQ(facts.metric_names()[2].view(), "val_loss");
  ASSERT_EQ(facts.epoch_points().size(), 2u);
  EXPECT_EQ(facts.epoch_points()[0].values[1], 0.25f);
  EXPECT_TRUE(std::isnan(facts.epoch_points()[0].values[2]));
  EXPECT_EQ(facts.epoch_points()[1].epoch, 1);
  EXPECT_EQ(facts.epoch_points()[1].values[2], 0.75f);
}

TEST(EpochCurves, ManyEpochsAndMetricsFit) {
  monitor::RunFacts facts;
  Logs logs;
  for (size_t i = 0; i < 2 * monitor::most_logs; ++i) logs.emplace_back(str("metric_", i), 0);
  constexpr int epochs = 10'000;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    logs[3].second = epoch;
    monitor::add_epoch_point(facts, epoch, logs);
  }
  EXPECT_EQ(facts.metric_names().size(), monitor::most_logs);
  const auto points = facts.epoch_points();
  EXPECT_GE(points.size(), monitor::most_epoch_points / 2);
  for (size_t i = 0; i < points.size(); ++i) {
    EXPECT_EQ(points[i].values[3], static_cast<float>(points[i].epoch));
    if (i > 0) {
      EXPECT_EQ(points[i].epoch - points[i - 1].epoch, facts.epochs_per_point);
    }
  }
  EXPECT_LT(epochs - 1 - points.back().epoch, facts.epochs_per_point);
}

}  // namespace
}  // namespace systolic
