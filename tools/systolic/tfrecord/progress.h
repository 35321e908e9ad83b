// A line on the terminal that says how far something is, how fast, and how long it will take.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace tool::tfrecord {

// On standard error. Threads may call it.
class Progress {
 public:
  // Where standard error is no terminal: nothing, or a line every ten seconds and one at the end.
  enum class Log { nothing, lines };
  // `unit`: "records", or "bytes" for sizes such as 1.50 MB.
  Progress(std::string unit, uint64_t total, Log log = Log::nothing);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void add(uint64_t count);

 private:
  void draw(std::chrono::steady_clock::time_point now) const;
  std::string unit_;
  uint64_t total_, done_ = 0;
  bool terminal_, shown_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point start_, drawn_;
};

// "12 s", "3 min 4 s", "2 h 5 min"
std::string duration_text(double seconds);

// "[#####-----]  50 %  1,000 of 2,000 records  500 records/s  2 s left"
std::string progress_text(const std::string& unit, uint64_t done, uint64_t total, double seconds);

}  // namespace tool::tfrecord
