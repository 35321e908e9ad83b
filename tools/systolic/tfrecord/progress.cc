#include "tools/systolic/tfrecord/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

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

std::string progress_text(const std::string& unit, uint64_t done, uint64_t total, double seconds) {
  constexpr int width = 30;
  const double share =
      total == 0 ? 1.0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const double rate = static_cast<double>(done) / std::max(seconds, 1e-3);
  const auto filled = static_cast<size_t>(share * width);
  std::string text = str("[", std::string(filled, '#'), std::string(width - filled, '-'), "] ",
                         fixed(100 * share, 0), " %  ", amount(unit, static_cast<double>(done)),
                         " of ", amount(unit, static_cast<double>(total)));
  if (unit != "bytes") text += str(" ", unit);
  text += str("  ", amount(unit, rate), unit == "bytes" ? "" : " " + unit, "/s");
  if (done == 0 || done >= total) return text;
  return str(text, "  ", duration_text(static_cast<double>(total - done) / rate), " left");
}

Progress::Progress(std::string unit, uint64_t total, Log log)
    : unit_(std::move(unit)),
      total_(total),
      terminal_(::isatty(STDERR_FILENO) != 0),
      shown_(terminal_ || log == Log::lines),
      start_(std::chrono::steady_clock::now()),
      drawn_(start_) {}

Progress::~Progress() {
  if (!shown_) return;
  draw(std::chrono::steady_clock::now());
  if (terminal_) std::fputc('\n', stderr);
}

void Progress::add(uint64_t count) {
  const std::chrono::milliseconds between(terminal_ ? 100 : 10'000);
  const std::lock_guard lock(mutex_);
  done_ += count;
  const auto now = std::chrono::steady_clock::now();
  if (!shown_ || now - drawn_ < between) return;
  drawn_ = now;
  draw(now);
}

void Progress::draw(std::chrono::steady_clock::time_point now) const {
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const std::string text = progress_text(unit_, done_, total_, seconds);
  std::fprintf(stderr, terminal_ ? "\r\033[K%s" : "%s\n", text.c_str());
  std::fflush(stderr);
}

}  // namespace tool::tfrecord
