// Whether a fit is to end at this step, as signals and its stop_after ask. Internal to train.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "systolic/base/process/interrupt.h"
#include "systolic/cluster/coordination.h"

namespace systolic::inline v0 {

// In a run of several processes a signal to one of them stops all at one step, so that none waits
// for the others in a sum.
class StopRequest {
 public:
  // The time counts from here.
  StopRequest(const InterruptGuard& guard, std::optional<std::chrono::duration<double>> stop_after);

  // Asks, between two steps: all processes of the run come to the same calls in the same order.
  // `counts_time`: whether the time may end the fit here.
  bool look(bool counts_time = true);
  // What is known, without asking the others.
  bool requested() const { return run_ == nullptr ? guard_.requested() || out_of_time_ : stops_; }
  // Whether the time is what ends it, and no signal.
  bool out_of_time() const { return out_of_time_; }

 private:
  using Clock = std::chrono::steady_clock;
  void look_at_clock();
  void give_notice(bool counts_time);

  const InterruptGuard& guard_;
  const std::shared_ptr<cluster::Coordination> run_;  // null for a process that is alone
  const std::optional<Clock::time_point> end_;
  bool stops_ = false, gave_notice_ = false, out_of_time_ = false;
};

}  // namespace systolic::inline v0
