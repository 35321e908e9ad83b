// A line that shows how far a loop has come, as Python's tqdm does.
//
//   Progress progress("tokenizing", texts.size());
//   for (...) {
//     ...
//     progress.add(chunk.size());
//   }
//
// On a terminal it is drawn at most ten times a second, with the time that is left: "tokenizing
// 12,288/50,000 ━━━━──────────────── 24 % 3s". Its last state is one line, there as in a file:
// "tokenizing 50,000/50,000 100 % 4s 12,104/s". A loop that ends early leaves what it had done.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <mutex>
#include <string>

#include "systolic/base/live_line.h"

namespace systolic::inline v0 {

// May be called from several threads.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  // To standard error.
  Progress(std::string what, int64_t total);
  // `columns` is asked for the terminal's width at each draw: 0 where `out` is none.
  Progress(std::string what, int64_t total, std::ostream& out, std::function<int()> columns,
           Clock::time_point now = Clock::now());
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void add(int64_t count, Clock::time_point now = Clock::now());
  // Prints the last line; the destructor does it otherwise.
  void finish(Clock::time_point now = Clock::now());

 private:
  std::string line(int64_t done, int columns, bool last, Clock::time_point now) const;

  const std::string what_;
  const int64_t total_;
  const std::function<int()> columns_;
  const Clock::time_point start_;
  std::atomic<int64_t> done_ = 0;
  std::mutex mutex_;  // of what follows
  LiveLine live_;
  bool finished_ = false;
};

}  // namespace systolic::inline v0
