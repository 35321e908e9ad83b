// Ctrl-C during fit: the step that runs is finished, what was reached is reported, and the program
// ends with code 130.
#pragma once

#include <signal.h>

#include <cstdint>

namespace systolic::inline v0 {

enum class OnInterrupt : uint8_t {
  exit,    // finish the step, report, exit code 130
  stop,    // finish the step, report, return the History with interrupted set
  ignore,  // install no handler: the program's own stays
};

// Catches SIGINT while it lives; the previous handler is put back afterwards. A second Ctrl-C ends
// the program at once.
class InterruptGuard {
 public:
  explicit InterruptGuard(OnInterrupt mode);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool requested() const;

 private:
  OnInterrupt mode_;
  struct sigaction previous_ = {};
};

}  // namespace systolic::inline v0
