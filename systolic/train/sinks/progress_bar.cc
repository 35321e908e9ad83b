#include "systolic/train/sinks/progress_bar.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <utility>

#include "systolic/base/terminal.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace {

std::string two_digits(int64_t value) { return value < 10 ? str("0", value) : str(value); }

double seconds_between(ProgressBar::Clock::time_point from, ProgressBar::Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<int64_t>(seconds);
  if (whole >= 3600)
    return str(whole / 3600, ":", two_digits(whole % 3600 / 60), ":", two_digits(whole % 60));
  if (whole >= 60) return str(whole / 60, ":", two_digits(whole % 60));
  return str(whole, "s");
}

std::string step_time_text(double seconds) {
  if (seconds >= 1) return str(fixed(seconds, 0), "s");
  if (seconds >= 1e-3) return str(fixed(seconds * 1e3, 0), "ms");
  return str(fixed(seconds * 1e6, 0), "us");
}

ProgressBar::ProgressBar(std::ostream& out, ProgressBarOptions options, Clock::time_point now)
    : options_(std::move(options)), start_(now), live_(out, now) {}

void ProgressBar::count(int64_t current, Clock::time_point now) {
  if (!first_) first_ = {current, now};
}

bool ProgressBar::due(Clock::time_point now) const {
  return options_.terminal && live_.is_due(now);
}

std::string ProgressBar::bar(int width, int64_t current) const {
  if (options_.target <= 0 || width <= 0) return "";
  return " " + bar_text(width, current, options_.target);
}

double ProgressBar::seconds_per_step(int64_t current, Clock::time_point now) const {
  const Clock::time_point end = steps_end_.value_or(now);
  if (first_ && current > first_->steps)
    return seconds_between(first_->time, end) / static_cast<double>(current - first_->steps);
  return current > 0 ? seconds_between(start_, end) / static_cast<double>(current) : 0;
}

std::string ProgressBar::timing(int64_t current, bool final, Clock::time_point now) const {
  const double per_step = seconds_per_step(current, now);
  const bool known = options_.target > 0 && !final;
  const double left = per_step * static_cast<double>(options_.target - current);
  const double passed = seconds_between(start_, now);
  const char* gap = options_.plain ? " - " : " ";
  std::string text = str(gap,
                         duration_text(known   ? left
                                       : final ? std::round(passed)
                                               : passed),
                         gap, step_time_text(per_step), "/step");
  if (options_.samples_per_step > 0 && per_step > 0) {
    const double rate = static_cast<double>(options_.samples_per_step) / per_step;
    text += str(gap, with_commas(static_cast<int64_t>(rate)), " samples/s");
  }
  return text;
}

// As wide from the first step to the last.
std::string ProgressBar::counter(int64_t current) const {
  constexpr size_t unknown_digits = 7;
  const bool known = options_.target > 0;
  const std::string number = str(current), target = known ? str(options_.target) : "Unknown";
  const size_t digits = known ? target.size() : unknown_digits;
  const std::string blanks(digits - std::min(digits, number.size()), ' ');
  return str(blanks, number, "/", target);
}

std::string ProgressBar::line_with_bar(int width, int64_t current, const Logs& logs, bool final,
                                       Clock::time_point now) const {
  std::string text = counter(current);
  if (!options_.plain) text += bar(width, current);
  text += timing(current, final, now);
  return logs.empty() ? text : str(text, " - ", logs_text(logs));
}

std::string ProgressBar::line(int64_t current, const Logs& logs, bool final,
                              Clock::time_point now) const {
  return line_with_bar(options_.width, current, logs, final, now);
}

// One row and no more: what is wider would wrap, and could not be drawn over. The bar gives way
// first, then the end of the line.
std::string ProgressBar::live_line(int64_t current, const Logs& logs, Clock::time_point now) const {
  const std::string whole = line(current, logs, false, now);
  const int columns = options_.columns ? options_.columns() : 0;
  const int excess = columns > 0 ? columns_of(whole) - (columns - 1) : 0;
  if (excess <= 0) return whole;
  constexpr int narrowest_bar = 5;
  const int width = std::max(options_.width - excess, narrowest_bar);
  return cut_to_columns(line_with_bar(width, current, logs, false, now), columns - 1);
}

void ProgressBar::update(int64_t current, const Logs& logs, Clock::time_point now) {
  if (due(now)) live_.draw(live_line(current, logs, now), now);
}

void ProgressBar::finish(int64_t current, const Logs& logs, Clock::time_point now) {
  if (options_.target <= 0) options_.target = current;
  live_.finish(line(current, logs, true, now), options_.terminal);
}

}  // namespace systolic::inline v0
