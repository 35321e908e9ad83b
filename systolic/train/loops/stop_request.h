// Whether a fit is to end at this step, as signals ask. Internal to train.
#pragma once

#include <memory>

#include "systolic/base/process/interrupt.h"
#include "systolic/cluster/coordination.h"

namespace systolic::inline v0 {

// In a run of several processes a signal to one of them stops all at one step, so that none waits
// for the others in a sum.
class StopRequest {
 public:
  explicit StopRequest(const InterruptGuard& guard);

  // Asks, between two steps: all processes of the run come to the same calls in the same order.
  bool look();
  // What is known, without asking the others.
  bool requested() const { return run_ == nullptr ? guard_.requested() : stops_; }

 private:
  const InterruptGuard& guard_;
  const std::shared_ptr<cluster::Coordination> run_;  // null for a process that is alone
  bool stops_ = false, gave_notice_ = false;
};

}  // namespace systolic::inline v0
