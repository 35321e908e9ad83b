#include "tools/systolic/tfrecord/progress.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "systolic/base/terminal.h"
#include "systolic/base/text.h"

namespace tool::tfrecord {

using namespace systolic;

namespace {

std::string amount(const std::string& unit, double count) {
  const auto whole = static_cast<int64_t>(std::min(count, 9e18));
  return unit == "bytes" ? bytes_text(whole) : with_commas(whole);
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<int64_t>(std::clamp(seconds, 0.0, 1e9) + 0.5);
  if (whole < 60) return str(whole, " s");
  if (whole < 3600) return str(whole / 60, " min ", whole % 60, " s");
  return str(whole / 3600, " h ", whole % 3600 / 60, " min");
}

std::string progress_text(const std::string& unit, uint64_t done, uint64_t total, double seconds,
                          int columns) {
  constexpr int widest = 30, narrowest = 5, brackets = 3;
  const double share =
      total == 0 ? 1.0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const double rate = static_cast<double>(done) / std::max(seconds, 1e-3);
  const std::string of_unit = unit == "bytes" ? "" : " " + unit;
  const std::string percent = fixed(100 * share, 0) + " %";
  const std::string counts = str("  ", amount(unit, static_cast<double>(done)), " of ",
                                 amount(unit, static_cast<double>(total)), of_unit);
  const std::string speed = str("  ", amount(unit, rate), of_unit, "/s");
  const std::string left =
      done == 0 || done >= total
          ? ""
          : str("  ", duration_text(static_cast<double>(total - done) / rate), " left");
  const std::string all = percent + counts + speed + left;
  const int room = columns == 0 ? widest : columns - columns_of(all) - brackets;
  if (room >= narrowest) {
    const int width = std::min(room, widest);
    const auto filled = static_cast<size_t>(share * width);
    return str("[", std::string(filled, '#'), std::string(static_cast<size_t>(width) - filled, '-'),
               "] ", all);
  }
  for (const std::string& text : {all, percent + speed + left, percent + left}) {
    if (columns_of(text) <= columns) return text;
  }
  return cut_to_columns(percent, columns);
}

void FileProgress::record(size_t bytes) {
  constexpr uint64_t frame = 16, worth_a_call = 1 << 20;  // the frame: two lengths, two checksums
  read_ = std::min(file_bytes_, read_ + bytes + frame);
  if (read_ - counted_ < worth_a_call) return;
  progress_.add(read_ - counted_);
  counted_ = read_;
}

Progress::Progress(std::string unit, uint64_t total, Log log)
    : unit_(std::move(unit)),
      total_(total),
      terminal_(terminal_columns(STDERR_FILENO) > 0),
      shown_(terminal_ || log == Log::lines),
      start_(std::chrono::steady_clock::now()),
      written_(start_),
      line_(std::cerr, start_ + LiveLine::redraw_interval) {}

Progress::~Progress() {
  if (shown_) line_.finish(text(std::chrono::steady_clock::now()), terminal_);
}

void Progress::add(uint64_t count) {
  constexpr std::chrono::seconds between_lines(10);
  const std::lock_guard lock(mutex_);
  done_ += count;
  const auto now = std::chrono::steady_clock::now();
  if (terminal_) {
    if (line_.is_due(now)) line_.draw(text(now), now);
  } else if (shown_ && now - written_ >= between_lines) {
    written_ = now;
    std::cerr << text(now) + "\n";
  }
}

// A line as wide as the window would wrap, and could not be drawn over.
std::string Progress::text(std::chrono::steady_clock::time_point now) const {
  const int columns = terminal_columns(STDERR_FILENO);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  return progress_text(unit_, done_, total_, seconds, columns == 0 ? 0 : std::max(columns - 1, 1));
}

}  // namespace tool::tfrecord
