#include "systolic/monitor/profile/profile_sink.h"

#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/base/spans/recording.h"
#include "systolic/base/text.h"
#include "systolic/monitor/profile/profile_files.h"
#include "systolic/monitor/profile/record_profile.h"

namespace systolic::inline v0 {
namespace {

class StepsProfile : public EventSink {
 public:
  explicit StepsProfile(ProfileOptions options) : options_(std::move(options)) {}

  void handle(const events::Moment& at, const Event& event) override {
    if (done_) return;
    const bool ends = std::holds_alternative<events::RunEnd>(event) ||
                      std::holds_alternative<events::Failure>(event);
    if (ends) return end_run();
    if (recording_ && at.step >= options_.steps.last) return finish();
    const bool between = std::holds_alternative<events::StepEnd>(event) ||
                         std::holds_alternative<events::RunBegin>(event);
    if (between && !recording_ && at.step + 1 >= options_.steps.first) begin(at.step + 1);
  }
  bool in_every_process() const override { return true; }

 private:
  void begin(int64_t step) {
    if (step > options_.steps.last) {  // the run goes on from a later one
      done_ = true;
      return;
    }
    try {
      recording_.emplace();
    } catch (const Error& error) {
      done_ = true;
      log_warning(str("No profile of the steps is recorded: ", error.what()));
    }
  }

  void finish() {
    done_ = true;
    try {
      const monitor::Profile profile = monitor::profile_of_this_process(recording_->finish());
      recording_.reset();
      const monitor::ProfileFiles files = monitor::write_profile(profile, options_.folder);
      log_info(str("A profile of the steps ", options_.steps.first, " to ", options_.steps.last,
                   ": systolic profile ", files.xplane));
    } catch (const std::exception& error) {
      recording_.reset();
      log_warning(str("The profile of the steps is lost: ", error.what()));
    }
  }

  void end_run() {
    if (recording_) return finish();
    done_ = true;
    log_warning(str("No profile was recorded: the run ended before step ", options_.steps.first));
  }

  const ProfileOptions options_;
  std::optional<spans::Recording> recording_;
  bool done_ = false;
};

}  // namespace

EventSinkPtr ProfileSink(ProfileOptions options, SourceLocation location) {
  const StepRange& steps = options.steps;
  if (steps.first < 1 || steps.last < steps.first) {
    raise<InvalidArgument>({.what = str("profile of the steps ", steps.first, " to ", steps.last),
                            .wanted = "a first step from 1 on, and a last one not before it",
                            .hint = ".steps = {10, 20}",
                            .location = location});
  }
  return std::make_shared<StepsProfile>(std::move(options));
}

}  // namespace systolic::inline v0
