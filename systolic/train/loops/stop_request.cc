#include "systolic/train/loops/stop_request.h"

#include <atomic>
#include <string>
#include <utility>

#include "systolic/base/process/place_in_run.h"
#include "systolic/cluster/this_run.h"

namespace systolic::inline v0 {
namespace {

std::shared_ptr<cluster::Coordination> run_of_several() {
  return place_in_run().count > 1 ? cluster::this_run() : nullptr;
}

// The run's steps, over all fits of the process.
int64_t next_moment() {
  static std::atomic<int64_t> moments{0};
  return moments++;
}

}  // namespace

StopRequest::StopRequest(const InterruptGuard& guard) : guard_(guard), run_(run_of_several()) {}

bool StopRequest::look() {
  if (run_ == nullptr || stops_) return requested();
  if (guard_.requested() && !std::exchange(gave_notice_, true)) {
    const std::string by(interrupted_by());
    run_->give_notice(by.empty() ? "Ctrl-C" : by);
  }
  stops_ = run_->stops_at(next_moment());
  if (stops_) interrupt_with_others();
  return stops_;
}

}  // namespace systolic::inline v0
