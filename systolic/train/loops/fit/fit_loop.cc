#include "systolic/train/loops/fit/fit_loop.h"

#include <optional>
#include <utility>

#include "systolic/base/spans/named_work.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/train/loops/fit/fit_listeners.h"
#include "systolic/train/loops/fit/fit_report.h"
#include "systolic/train/loops/fit/resumed_run.h"
#include "systolic/train/loops/fit/stop_request.h"
#include "systolic/train/loops/fit/training_data.h"
#include "systolic/train/loops/fit/validation.h"
#include "systolic/train/state/input_state_scope.h"
#include "systolic/train/step/step_logs.h"
#include "systolic/train/step/step_program.h"

namespace systolic::inline v0 {
namespace {

constinit spans::NamedWork fit_step{spans::WorkKind::step, "step"};

class FitLoop {
 public:
  FitLoop(const FitCall& call, EventStream& stream, const InterruptGuard& interrupt)
      : call_(call), stop_(interrupt, call.options.stop_after), listeners_(call, stream, cursor_) {}

  FitEnd run() {
    state_.run().begin();
    std::optional<InputStateScope> scope;
    if (data_.keeps_state()) scope.emplace(state_, [this] { return data_.input_state(); });
    run_epochs();
    listeners_.end_training(last_logs_);
    listeners_.end_run({.logs = last_logs_,
                        .compile_milliseconds = compile_milliseconds_,
                        .input_wait_seconds = data_.waited_seconds(),
                        .input_wait_share = input_wait_.share(),
                        .interrupted = stop_.requested()},
                       input_wait_, stop_.out_of_time());
    if (stop_.out_of_time()) return FitEnd::out_of_time;
    return stop_.requested() ? FitEnd::interrupted : FitEnd::done;
  }

 private:
  void run_epochs() {
    const FitOptions& options = call_.options;
    for (int epoch = options.initial_epoch; epoch < options.epochs && !stopped(); ++epoch)
      run_epoch(epoch);
    if (!listeners_.run_has_begun() && !stopped()) begin_run(0);  // all epochs were done
    const bool was_begun = options.epochs > options.initial_epoch || !options.run_state.empty();
    if (!stop_.requested() && was_begun) finalize_variables();
  }

  bool stopped() const { return state_.run().is_stopped() || stop_.requested() || out_of_data_; }

  // In this fit: one that only closes an epoch is not cut short by its time, so that each one comes
  // further than the one before.
  bool has_trained() const { return cursor_.step() > cursor_.first_step(); }

  void run_epoch(int epoch) {
    if (listeners_.run_has_begun())
      input_wait_.begin();  // before the first step a model is compiled
    data_.open();
    cursor_.begin_epoch(resumed_.takes_trained_epoch());
    std::optional<StepInput> input;
    if (!cursor_.only_closes()) input = data_.next();
    if (!input && !cursor_.only_closes()) return end_without_data(epoch);
    if (!begin_epoch(epoch, input)) return;
    const bool trains = input.has_value();  // else an earlier fit did, and it is only closed
    while (input) {
      train_on(*input);
      stop_.look();
      if (cursor_.all_steps() || stopped()) break;
      input = data_.next();
    }
    if (cursor_.lacks_data()) end_data(epoch);
    const bool known = trains || resumed_.load_metrics(state_, true);
    last_logs_ = known ? read_logs(state_) : unknown_logs(state_);
    end_epoch(epoch);
  }

  // What Ctrl-C cuts short goes on with its variables as they are.
  void finalize_variables() {
    const std::optional<Optimizer>& optimizer = state_.compiled().optimizer;
    if (optimizer) optimizer->finalize_variable_values(state_.network().trainable_variables());
  }

  // For batches of this many rows. True where the run goes on from an earlier process.
  bool begin_run(int64_t rows) {
    listeners_.begin_run(rows);
    return resumed_.load_callbacks(listeners_.callbacks().all());
  }

  // False where the run was stopped in an earlier process.
  bool begin_epoch(int epoch, const std::optional<StepInput>& input) {
    if (!listeners_.run_has_begun()) {
      const int64_t rows = data_.batch_size();
      report_before_training(call_, data_, rows);
      if (begin_run(rows) && stopped()) return false;
    }
    if (input) reset_logs(state_);
    listeners_.begin_epoch(epoch);
    return true;
  }

  void train_on(const StepInput& input) {
    std::optional<spans::Span> span(std::in_place, fit_step, cursor_.step() + 1);
    const auto program = step_program(state_, StepKind::train, input, call_.location);
    // Asking compiles it, so that the first step's time does not hold the compilation. Programs of
    // other shapes, as that of a padded last batch, are compiled within their first step.
    if (program && compile_milliseconds_ == 0)
      compile_milliseconds_ = compile_step(*program, StepKind::train, call_.location);
    if (cursor_.step() == cursor_.first_step()) {
      validation_.try_arrays();
      if (cursor_.goes_on()) resumed_.load_metrics(state_);
    }
    input_wait_.begin();
    listeners_.begin_step(input);
    const Stopwatch watch;
    auto results = run_step(state_, StepKind::train, input, program,
                            {.step = cursor_.step(), .location = call_.location});
    data_.done(input);
    cursor_.advance(input.steps);
    span.reset();  // whoever is told that the step is over finds it recorded
    listeners_.end_step(input, std::move(results.front()), watch);
  }

  void end_epoch(int epoch) {
    input_wait_.end([this] { return data_.report(); });
    data_.end_epoch();
    // What Ctrl-C cuts short is not an epoch, and is not validated.
    const bool ended =
        (!stop_.requested() || cursor_.complete()) &&
        (!validation_.is_due(epoch) ||
         validation_.run(
             listeners_.callbacks(), [this] { return stop_.look(has_trained()); }, last_logs_));
    listeners_.end_epoch({.epoch = epoch, .logs = last_logs_, .cut_short = !ended});
  }

  void end_without_data(int epoch) {
    if (!listeners_.run_has_begun()) raise_no_data(call_.location);
    end_data(epoch);
  }

  void end_data(int epoch) {
    out_of_data_ = true;
    report_data_ended(call_, cursor_, epoch);
  }

  const FitCall& call_;
  ModelState& state_ = *call_.state;
  StopRequest stop_;
  EpochCursor cursor_{call_.options.steps_per_epoch};
  TrainingData data_{call_, cursor_, state_use_of(call_.options.callbacks)};
  const Validation validation_{call_};
  ResumedRun resumed_{call_.options.run_state};
  FitListeners listeners_;
  InputWait input_wait_{[] {
    const runtime::ClientPtr client = default_client();
    return client->counters(client->topology().addressable_cores().front());
  }};
  Logs last_logs_;
  double compile_milliseconds_ = 0;
  bool out_of_data_ = false;
};

}  // namespace

FitEnd run_fit_loop(const FitCall& call, EventStream& stream, const InterruptGuard& interrupt) {
  return FitLoop(call, stream, interrupt).run();
}

}  // namespace systolic::inline v0
