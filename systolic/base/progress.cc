#include "systolic/base/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "systolic/base/terminal.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace {

constexpr int bar_columns = 20;

std::string seconds_text(double seconds) { return str(fixed(seconds, seconds < 10 ? 1 : 0), "s"); }

}  // namespace

Progress::Progress(std::string what, int64_t total)
    : Progress(std::move(what), total, std::cerr, [] { return terminal_columns(STDERR_FILENO); }) {}

Progress::Progress(std::string what, int64_t total, std::ostream& out, std::function<int()> columns,
                   Clock::time_point now)
    : what_(std::move(what)),
      total_(total),
      columns_(std::move(columns)),
      start_(now),
      live_(out, now) {
  add(0, now);
}

Progress::~Progress() { finish(); }

std::string Progress::line(int64_t done, int columns, bool last, Clock::time_point now) const {
  const double passed = std::chrono::duration<double>(now - start_).count();
  const double rate = passed > 0 ? static_cast<double>(done) / passed : 0;
  std::string text = str(what_, " ", with_commas(done), "/", with_commas(total_));
  if (columns > 0) text += str(" ", bar_text(bar_columns, done, total_));
  text += str(" ", total_ > 0 ? 100 * done / total_ : 100, " %");
  if (last) return str(text, " ", seconds_text(passed), " ", with_commas(std::llround(rate)), "/s");
  const int64_t left = std::max<int64_t>(0, total_ - done);
  if (rate > 0) text += str(" ", seconds_text(static_cast<double>(left) / rate));
  return cut_to_columns(text, columns - 1);
}

void Progress::add(int64_t count, Clock::time_point now) {
  const int64_t done = done_ += count;
  const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock || finished_ || !live_.is_due(now)) return;
  live_.skip(now);
  const int columns = columns_();
  if (columns > 0) live_.draw(line(done, columns, false, now), now);
}

void Progress::finish(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (finished_) return;
  finished_ = true;
  const int columns = columns_();
  live_.finish(line(done_, columns, true, now), columns > 0);
}

}  // namespace systolic::inline v0
