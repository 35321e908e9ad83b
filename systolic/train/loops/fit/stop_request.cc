#include "systolic/train/loops/fit/stop_request.h"

#include <algorithm>
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

// What process 0 tells the others where its time is over.
constexpr const char* out_of_time_key = "fit/out_of_time";

std::optional<std::chrono::steady_clock::time_point> end_of(
    std::optional<std::chrono::duration<double>> stop_after) {
  if (!stop_after) return std::nullopt;
  const auto most = std::chrono::hours(24 * 365 * 100);  // a clock counts in 64 bits
  const auto wait = std::min<std::chrono::duration<double>>(*stop_after, most);
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(wait);
}

}  // namespace

StopRequest::StopRequest(const InterruptGuard& guard,
                         std::optional<std::chrono::duration<double>> stop_after)
    : guard_(guard), run_(run_of_several()), end_(end_of(stop_after)) {}

bool StopRequest::look(bool counts_time) {
  if (run_ == nullptr) {
    if (counts_time) look_at_clock();
    return requested();
  }
  if (stops_) return true;
  give_notice(counts_time);
  stops_ = run_->stops_at(next_moment());
  if (!stops_) return false;
  out_of_time_ = run_->try_get(out_of_time_key).has_value();
  if (!out_of_time_) interrupt_with_others();
  return true;
}

// A signal that came before counts.
void StopRequest::look_at_clock() {
  out_of_time_ = out_of_time_ || (end_ && !guard_.requested() && Clock::now() >= *end_);
}

void StopRequest::give_notice(bool counts_time) {
  if (gave_notice_) return;
  if (counts_time && place_in_run().index == 0) look_at_clock();
  if (!guard_.requested() && !out_of_time_) return;
  gave_notice_ = true;
  if (out_of_time_) run_->put(out_of_time_key, "");
  const std::string by(interrupted_by());
  run_->give_notice(out_of_time_ ? "stop_after" : by.empty() ? "Ctrl-C" : by);
}

}  // namespace systolic::inline v0
