// Time that has passed, for measurements and reports.
//
//   const Stopwatch watch;
//   ...
//   history.step_milliseconds.push_back(watch.milliseconds());
#pragma once

#include <chrono>

namespace systolic::inline v0 {

class Stopwatch {
 public:
  // The time since it was made.
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  double milliseconds() const { return 1e3 * seconds(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace systolic::inline v0
