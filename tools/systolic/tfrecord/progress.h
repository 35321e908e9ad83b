// A line on the terminal that says how far something is, how fast, and how long it will take.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "systolic/base/live_line.h"

namespace tool::tfrecord {

// On standard error; never wider than its window. Threads may call it.
class Progress {
 public:
  // Where standard error is a file, or a terminal that cannot move its cursor: nothing, or a line
  // every ten seconds and one at the end.
  enum class Log { nothing, lines };
  // `unit`: "records", or "bytes" for sizes such as 1.50 MB.
  Progress(std::string unit, uint64_t total, Log log = Log::nothing);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void add(uint64_t count);

 private:
  std::string text(std::chrono::steady_clock::time_point now) const;
  std::string unit_;
  uint64_t total_, done_ = 0;
  bool terminal_, shown_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point start_, written_;
  systolic::LiveLine line_;
};

// "12 s", "3 min 4 s", "2 h 5 min"
std::string duration_text(double seconds);

// "[#####-----] 50 %  1,000 of 2,000 records  500 records/s  2 s left" in at most this many columns
// (0: any number): first the bar gives way, then the numbers, and what is left to do the last.
std::string progress_text(const std::string& unit, uint64_t done, uint64_t total, double seconds,
                          int columns = 0);

// Counts one file's bytes while its records are read; of a compressed one most at finish().
class FileProgress {
 public:
  FileProgress(Progress& progress, uint64_t file_bytes)
      : progress_(progress), file_bytes_(file_bytes) {}
  void record(size_t bytes);
  void finish() { progress_.add(file_bytes_ - counted_); }

 private:
  Progress& progress_;
  uint64_t file_bytes_, read_ = 0, counted_ = 0;
};

}  // namespace tool::tfrecord
