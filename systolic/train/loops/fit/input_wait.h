// Which part of the steps' time the device has waited for input, and the line that says what to do.
// Internal to train.
//
//   InputWait wait([] { return default_client()->counters(0); });
//   wait.begin();  ...;  wait.end();                   // around the steps of an epoch
//   wait.share()                                       // of all epochs so far
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "systolic/data/report.h"
#include "systolic/runtime/client.h"

namespace systolic::inline v0 {

class InputWait {
 public:
  // `read` gives the counters of a core.
  explicit InputWait(std::function<runtime::CoreCounters()> read) : read_(std::move(read)) {}

  // Counts from now on; nothing new where it already does.
  void begin();
  // Counts no more. Where the epoch since begin() is the one that waited longest, and notably so
  // (over 5 % of its time and a tenth of a second), it remembers the report.
  void end(const std::function<data::PipelineReport()>& report);

  // From 0 to 1; 0 before the first end().
  double share() const;
  // From 0 to 1, of the epoch that line() speaks of.
  double worst_share() const { return worst_share_; }
  // The stage that limits the epoch that waited longest, its share and the remedy; empty where none
  // waited notably.
  const std::string& line() const { return line_; }

 private:
  std::function<runtime::CoreCounters()> read_;
  bool counting_ = false;
  runtime::CoreCounters start_;
  double waited_seconds_ = 0, seconds_ = 0;  // of all epochs
  double worst_share_ = 0;                   // of those that line_ may speak of
  std::string line_;
};

// "The device waited for input in 40 % of the steps' time: map at train.cc:41 limits: ..."
std::string input_wait_line(double share, const data::PipelineReport& report);

}  // namespace systolic::inline v0
