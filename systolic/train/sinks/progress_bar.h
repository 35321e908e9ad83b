// The line that people watch: "300/300 ━━━━━━━━━━━━━━━━━━━━ 7s 24ms/step - loss: 0.0333 - ..."
// (keras.utils.Progbar).
//
// On a terminal the line is drawn again at most ten times a second, cut to one row; the last one is
// whole. Into a file one line is written at the end. The time of a step, and the samples per
// second, are those after the first count(): what compiles comes before.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

#include "systolic/base/live_line.h"
#include "systolic/events/logs.h"

namespace systolic::inline v0 {

struct ProgressBarOptions {
  int64_t target = -1;    // steps; -1: unknown
  bool terminal = false;  // draw live
  // The terminal's, asked at every draw: its window may change. 0, or nothing here: any number.
  std::function<int()> columns = {};
  int width = 20;                // of the bar
  int64_t samples_per_step = 0;  // > 0: shows samples per second
  bool plain = false;            // "300/300 - 7s - 24ms/step - ...", without a bar
};

class ProgressBar {
 public:
  using Clock = std::chrono::steady_clock;

  ProgressBar(std::ostream& out, ProgressBarOptions options, Clock::time_point now = Clock::now());
  // `current` steps are done, whether that is drawn or not.
  void count(int64_t current, Clock::time_point now = Clock::now());
  // The steps are done; what follows, such as a validation, is none of their time.
  void stop_clock(Clock::time_point now = Clock::now()) { steps_end_ = now; }
  // True when the next update would draw: the caller then fetches fresh logs.
  bool due(Clock::time_point now = Clock::now()) const;
  // `current` steps are done.
  void update(int64_t current, const Logs& logs, Clock::time_point now = Clock::now());
  // Draws the last state and ends the line. A target that was not known is `current`.
  void finish(int64_t current, const Logs& logs, Clock::time_point now = Clock::now());

  // The text of the line, without control codes.
  std::string line(int64_t current, const Logs& logs, bool final, Clock::time_point now) const;

 private:
  std::string line_with_bar(int width, int64_t current, const Logs& logs, bool final,
                            Clock::time_point now) const;
  std::string live_line(int64_t current, const Logs& logs, Clock::time_point now) const;
  std::string counter(int64_t current) const;
  std::string bar(int width, int64_t current) const;
  double seconds_per_step(int64_t current, Clock::time_point now) const;
  std::string timing(int64_t current, bool final, Clock::time_point now) const;

  ProgressBarOptions options_;
  Clock::time_point start_;
  struct Counted {
    int64_t steps = 0;
    Clock::time_point time;
  };
  std::optional<Counted> first_;  // what was counted first
  std::optional<Clock::time_point> steps_end_;
  LiveLine live_;
};

// "24ms", "350us", "2s": the time of one step, as Keras prints it.
std::string step_time_text(double seconds);
// "1:02", "1:00:05", "17s": what remains or has passed.
std::string duration_text(double seconds);

}  // namespace systolic::inline v0
