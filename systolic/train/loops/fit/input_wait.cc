#include "systolic/train/loops/fit/input_wait.h"

#include <algorithm>

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace {

constexpr double notable_seconds = 0.1;  // what is gained by less is not worth a word
constexpr double notable_share = 0.05;   // as in PipelineReport::diagnosis

double total_seconds(const runtime::CoreCounters& counters) {
  return counters.busy_seconds + counters.input_wait_seconds + counters.idle_seconds;
}

}  // namespace

void InputWait::begin() {
  if (counting_) return;
  counting_ = true;
  start_ = read_();
}

void InputWait::end(const std::function<data::PipelineReport()>& report) {
  if (!counting_) return;
  counting_ = false;
  const runtime::CoreCounters now = read_();
  if (total_seconds(now) < total_seconds(start_)) start_ = {};  // they were reset meanwhile
  const double waited = now.input_wait_seconds - start_.input_wait_seconds;
  const double seconds = total_seconds(now) - total_seconds(start_);
  waited_seconds_ += waited;
  seconds_ += seconds;
  if (waited < notable_seconds || waited <= std::max(worst_share_, notable_share) * seconds) return;
  worst_share_ = waited / seconds;
  line_ = input_wait_line(worst_share_, report());
}

double InputWait::share() const { return seconds_ > 0 ? waited_seconds_ / seconds_ : 0; }

std::string input_wait_line(double share, const data::PipelineReport& report) {
  const std::string start =
      str("The device waited for input in ", fixed(100 * share, 0), " % of the steps' time: ");
  if (report.seconds > 0 && report.reader_waited_seconds < notable_share * report.seconds) {
    return start +
           "laying out batches and copying them to the device limits. Remedy: fewer bytes a "
           "sample (u8 and a cast in the model in place of f32), or a larger steps_per_execution";
  }
  return start + report.diagnosis();
}

}  // namespace systolic::inline v0
