#include "systolic/train/sinks/progress_bar.h"

#include <gtest/gtest.h>

#include <sstream>

#include "systolic/base/terminal.h"

namespace systolic {
namespace {

using std::chrono::milliseconds;

TEST(ProgressBar, TimesReadAsKerasPrintsThem) {
  EXPECT_EQ(step_time_text(0.024), "24ms");
  EXPECT_EQ(step_time_text(0.00035), "350us");
  EXPECT_EQ(step_time_text(2.2), "2s");
  EXPECT_EQ(duration_text(17.9), "17s");
  EXPECT_EQ(duration_text(62), "1:02");
  EXPECT_EQ(duration_text(3605), "1:00:05");
}

TEST(ProgressBar, NumbersKeepFourDigits) {
  EXPECT_EQ(log_number_text(0.12345), "0.1235");
  EXPECT_EQ(log_number_text(0), "0.0000");
  EXPECT_EQ(log_number_text(0.00012), "1.2000e-04");
  EXPECT_EQ(log_number_text(-5), "-5.0000");
}

TEST(ProgressBar, AFileGetsOneLineAtTheEnd) {
  std::ostringstream out;
  const auto start = ProgressBar::Clock::time_point{};
  ProgressBar bar(out, {.target = 4, .terminal = false, .width = 4, .samples_per_step = 100},
                  start);
  bar.update(1, {{"loss", 1.0}}, start + milliseconds(500));
  EXPECT_EQ(out.str(), "");
  bar.finish(4, {{"loss", 0.5}}, start + milliseconds(2000));
  EXPECT_EQ(out.str(), "4/4 ━━━━ 2s 500ms/step 200 samples/s - loss: 0.5000\n");
}

TEST(ProgressBar, ATerminalSeesTheLineDrawnAgainAndWhatRemains) {
  std::ostringstream out;
  const auto start = ProgressBar::Clock::time_point{};
  ProgressBar bar(out, {.target = 4, .terminal = true, .width = 4}, start);
  bar.update(1, {}, start + milliseconds(1000));
  bar.update(2, {}, start + milliseconds(1050));  // too soon to draw
  EXPECT_EQ(out.str(), "\r1/4 ━─── 3s 1s/step\x1b[K");
}

TEST(ProgressBar, TheCountKeepsItsPlace) {
  std::ostringstream out;
  const auto start = ProgressBar::Clock::time_point{};
  const ProgressBar bar(out, {.target = 300, .width = 0}, start);
  const auto now = start + milliseconds(2000);
  EXPECT_EQ(bar.line(8, {}, false, now), "  8/300 1:13 250ms/step");
  EXPECT_EQ(bar.line(20, {}, false, now), " 20/300 28s 100ms/step");
  EXPECT_EQ(bar.line(300, {}, true, now), "300/300 2s 7ms/step");
}

TEST(ProgressBar, ALineAnEpochHasNoBar) {
  std::ostringstream out;
  const auto start = ProgressBar::Clock::time_point{};
  ProgressBar bar(out, {.target = 10, .samples_per_step = 5, .plain = true}, start);
  bar.finish(10, {{"loss", 0.5}}, start + milliseconds(2600));
  EXPECT_EQ(out.str(), "10/10 - 3s - 260ms/step - 19 samples/s - loss: 0.5000\n");
}

// The first step compiles; a validation is not a step.
TEST(ProgressBar, TheTimeOfAStepIsThatOfTheStepsBehindTheFirst) {
  std::ostringstream out;
  const auto start = ProgressBar::Clock::time_point{};
  ProgressBar bar(out, {.target = 5, .width = 0, .samples_per_step = 10}, start);
  bar.count(1, start + milliseconds(3000));
  bar.count(2, start + milliseconds(3100));
  EXPECT_EQ(bar.line(3, {}, false, start + milliseconds(3200)), "3/5 0s 100ms/step 100 samples/s");
  bar.stop_clock(start + milliseconds(3400));
  bar.finish(5, {}, start + milliseconds(5000));
  EXPECT_EQ(out.str(), "5/5 5s 100ms/step 100 samples/s\n");
  // All steps in one execution: there is no other time.
  ProgressBar whole(out, {.target = 5, .width = 0}, start);
  whole.count(5, start + milliseconds(1000));
  EXPECT_EQ(whole.line(5, {}, true, start + milliseconds(1000)), "5/5 1s 200ms/step");
}

TEST(ProgressBar, ALineNeverWrapsWhateverTheTerminalsWidth) {
  const Logs logs{{"loss", 0.25}, {"sparse_categorical_accuracy", 0.5}};
  const auto start = ProgressBar::Clock::time_point{};
  for (int columns = 8; columns <= 140; ++columns) {
    std::ostringstream out;
    ProgressBar bar(out, {.target = 4, .terminal = true, .columns = [&] { return columns; }},
                    start);
    bar.update(2, logs, start + milliseconds(1000));
    const std::string drawn = out.str().substr(1, out.str().size() - 4);
    EXPECT_LT(columns_of(drawn), columns) << drawn;
    const bool whole = drawn.find("accuracy: 0.5000") != std::string::npos;
    EXPECT_EQ(whole, columns > 76) << drawn;
  }
}

TEST(ProgressBar, ALineThatAnErrorCutsShortIsEnded) {
  std::ostringstream out;
  { ProgressBar bar(out, {.target = 4, .terminal = true}); }
  EXPECT_EQ(out.str(), "");
  {
    ProgressBar bar(out, {.target = 4, .terminal = true});
    bar.update(1, {});
  }
  EXPECT_EQ(out.str().back(), '\n');
}

TEST(ProgressBar, WithoutATargetItCounts) {
  std::ostringstream out;
  const auto start = ProgressBar::Clock::time_point{};
  ProgressBar bar(out, {.terminal = true, .width = 4}, start);
  bar.update(6, {}, start + milliseconds(6));
  bar.finish(7, {}, start + milliseconds(7));
  EXPECT_EQ(out.str(),
            "\r      6/Unknown 0s 1ms/step\x1b[K"
            "\r7/7 ━━━━ 0s 1ms/step\x1b[K\n");
}

}  // namespace
}  // namespace systolic
