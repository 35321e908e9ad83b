#include "systolic/train/callbacks/progress_bar.h"

#include <array>
#include <charconv>
#include <cmath>
#include <ostream>

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace {

constexpr auto redraw_interval = std::chrono::milliseconds(100);

// Columns of a text in which every UTF-8 character is one wide.
size_t columns(const std::string& text) {
  size_t count = 0;
  for (char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return count;
}

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

std::string log_number_text(double value) {
  if (!std::isfinite(value)) return to_text(value);
  if (std::abs(value) > 1e-3 || value == 0) return fixed(value, 4);
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::scientific, 4);
  return {buffer.data(), end.ptr};
}

ProgressBar::ProgressBar(std::ostream& out, ProgressBarOptions options, Clock::time_point now)
    : out_(out), options_(options), start_(now), last_draw_(now - redraw_interval) {}

bool ProgressBar::due(Clock::time_point now) const {
  return options_.terminal && now - last_draw_ >= redraw_interval;
}

std::string ProgressBar::bar(int64_t current) const {
  if (options_.target <= 0) return "";
  const auto filled =
      static_cast<int>(options_.width * std::min(current, options_.target) / options_.target);
  std::string text = " ";
  for (int i = 0; i < filled; ++i) text += "━";
  for (int i = filled; i < options_.width; ++i) text += "─";
  return text;
}

std::string ProgressBar::timing(int64_t current, bool final, double seconds) const {
  const double per_step = current > 0 ? seconds / static_cast<double>(current) : 0;
  const bool known = options_.target > 0 && !final;
  const double shown = known ? per_step * static_cast<double>(options_.target - current) : seconds;
  std::string text = str(" ", duration_text(shown), " ", step_time_text(per_step), "/step");
  if (options_.samples_per_step > 0 && per_step > 0) {
    const double rate = static_cast<double>(options_.samples_per_step) / per_step;
    text += str(" ", with_commas(static_cast<int64_t>(rate)), " samples/s");
  }
  return text;
}

std::string ProgressBar::line(int64_t current, const Logs& logs, bool final,
                              Clock::time_point now) const {
  std::string text =
      options_.target > 0 ? str(current, "/", options_.target) : str(current, "/Unknown");
  text += bar(current);
  text += timing(current, final, seconds_between(start_, now));
  for (const auto& [name, value] : logs) text += str(" - ", name, ": ", log_number_text(value));
  return text;
}

void ProgressBar::draw(const std::string& text, bool final) {
  const size_t width = columns(text);
  if (options_.terminal) out_ << '\r';
  out_ << text;
  if (options_.terminal && drawn_columns_ > width) out_ << std::string(drawn_columns_ - width, ' ');
  if (final) out_ << '\n';
  out_.flush();
  drawn_columns_ = width;
}

void ProgressBar::update(int64_t current, const Logs& logs, Clock::time_point now) {
  if (!due(now)) return;
  last_draw_ = now;
  draw(line(current, logs, false, now), false);
}

void ProgressBar::finish(int64_t current, const Logs& logs, Clock::time_point now) {
  draw(line(current, logs, true, now), true);
}

}  // namespace systolic::inline v0
