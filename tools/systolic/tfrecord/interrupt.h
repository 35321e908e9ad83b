// Ctrl-C while files are being written: what is half done is removed before the command ends.
#pragma once

#include <csignal>

namespace tool::tfrecord {

inline constexpr int interrupted_code = 130;  // 128 + SIGINT, as shells have it

// Catches SIGINT while it lives, one at a time; where it was ignored, it stays so. A second Ctrl-C
// ends the process at once.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool requested() const;  // of any thread

 private:
  struct sigaction previous_ = {};
};

}  // namespace tool::tfrecord
