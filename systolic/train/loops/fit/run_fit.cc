#include "systolic/train/loops/fit/run_fit.h"

#include <optional>

#include "systolic/base/error.h"
#include "systolic/base/process/failed_writes.h"
#include "systolic/events/within_run.h"
#include "systolic/monitor/monitor.h"
#include "systolic/monitor/profile/profile_sink.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/train/loops/fit/fit_loop.h"
#include "systolic/train/loops/fit/fit_report.h"
#include "systolic/train/loops/fit/other_processes.h"
#include "systolic/train/loops/fit/plan_fit.h"
#include "systolic/train/loops/loop_options.h"
#include "systolic/train/sinks/history_sink.h"
#include "systolic/train/sinks/progress_sink.h"
#include "systolic/train/state/check_compiled.h"

namespace systolic::inline v0 {
namespace {

void check_fit_options(const FitOptions& options, SourceLocation location) {
  check_steps("steps_per_epoch", options.steps_per_epoch, location);
  check_steps("validation_steps", options.validation_steps, location);
  if (options.validation_freq < 1) {
    raise<InvalidArgument>({.what = str("validation_freq = ", options.validation_freq),
                            .wanted = "1 or more epochs",
                            .location = location});
  }
  check_not_negative("epochs", options.epochs, location);
  check_not_negative("initial_epoch", options.initial_epoch, location);
  if (options.stop_after && !(options.stop_after->count() > 0)) {
    raise<InvalidArgument>({.what = str("stop_after = ", options.stop_after->count(), " seconds"),
                            .wanted = "a time to come: std::chrono::hours(9)",
                            .location = location});
  }
}

// The callback that takes up a run clears the option.
void check_run_is_taken_up(const FitOptions& options, SourceLocation location) {
  if (options.resume.empty()) return;
  raise<InvalidArgument>({.what = str("fit is to resume from \"", options.resume,
                                      "\", and no callback takes up a run"),
                          .wanted = ".callbacks = {TrainingCheckpoint{.directory = \"run\"}}",
                          .hint = "BackupAndRestore takes up its run without being asked",
                          .location = location});
}

History train(const FitCall& call, EventStream& stream, std::optional<InterruptGuard>& interrupt) {
  const auto history = std::make_shared<HistorySink>();
  stream.add(history);
  // Before callbacks: what they print stands below its line.
  if (call.options.verbose > 0) stream.add(ProgressSink());
  if (call.options.on_interrupt != OnInterrupt::ignore) survive_failed_writes();
  interrupt.emplace(catches_of(call.options.on_interrupt));
  if (call.options.callbacks.empty())  // one may stop the training
    check_end(call.dataset, "steps_per_epoch", call.options.steps_per_epoch, call.location);
  const FitEnd end = run_fit_loop(call, stream, *interrupt);
  History result = history->take();
  result.interrupted = end == FitEnd::interrupted;
  result.out_of_time = end == FitEnd::out_of_time;
  return result;
}

// Calls before_fit of each callback and, when fit is over, after_fit of each whose before_fit was
// called, even where that threw.
class BeforeAndAfterFit {
 public:
  explicit BeforeAndAfterFit(const std::vector<CallbackPtr>& callbacks) : callbacks_(callbacks) {}
  ~BeforeAndAfterFit() {
    for (size_t i = 0; i < told_; ++i) {
      if (callbacks_[i]) callbacks_[i]->after_fit();
    }
  }
  BeforeAndAfterFit(const BeforeAndAfterFit&) = delete;
  BeforeAndAfterFit& operator=(const BeforeAndAfterFit&) = delete;

  void begin(Model& model, FitOptions& options) {
    while (told_ < callbacks_.size()) {
      if (const CallbackPtr& callback = callbacks_[told_++]) callback->before_fit(model, options);
    }
  }

 private:
  const std::vector<CallbackPtr>& callbacks_;
  size_t told_ = 0;
};

// `options` start as given; callbacks may change them, as BackupAndRestore does. `interrupt` lives
// from the first step on.
History fit_with_events(Model& model, const std::shared_ptr<ModelState>& state,
                        const data::Dataset& dataset, const FitOptions& given, FitOptions& options,
                        std::optional<InterruptGuard>& interrupt, SourceLocation location) {
  EventStream stream;
  for (const EventSinkPtr& sink : options.event_sinks) stream.add_in_background(sink);
  BeforeAndAfterFit callbacks(given.callbacks);
  return within_run(stream, [&] {
    callbacks.begin(model, options);
    check_run_is_taken_up(options, location);
    check_fit_options(options, location);
    begin_epoch_of_other_processes(options);
    if (given.epochs <= given.initial_epoch) report_no_epochs(given);
    const FitCall call{model, state, dataset, options, location};
    if (const auto& request = plan::requested()) plan_fit(*request, call);
    monitor::serve(options.monitor, location);
    if (options.profile.steps != StepRange{}) stream.add(ProfileSink(options.profile, location));
    return train(call, stream, interrupt);
  });
}

}  // namespace

History run_fit(Model& model, const std::shared_ptr<ModelState>& state,
                const data::Dataset& dataset, const FitOptions& given, SourceLocation location) {
  check_compiled(*state, "fit", location);
  default_client();  // says which of the run's processes this is
  FitOptions options = given;
  options.verbose = verbose_here(given.verbose);
  std::optional<InterruptGuard> interrupt;
  History history = fit_with_events(model, state, dataset, given, options, interrupt, location);
  // Here the loop is gone and its threads joined. The handlers stay: a launcher may repeat its
  // request, which must not end this process while others of the run still save.
  if (history.interrupted && options.on_interrupt == OnInterrupt::exit) exit_interrupted();
  return history;
}

}  // namespace systolic::inline v0
