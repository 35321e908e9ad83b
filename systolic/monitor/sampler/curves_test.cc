// Curves of runs of any length have the same size.
#include "systolic/monitor/sampler/curves.h"

#include <gtest/gtest.h>

#include <memory>

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

}  // namespace
}  // namespace systolic
