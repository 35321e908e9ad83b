#include "systolic/train/loops/fit_loop.h"

#include <optional>
#include <utility>
#include <vector>

#include "systolic/base/stopwatch.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/train/loops/callback_list.h"
#include "systolic/train/loops/epoch_cursor.h"
#include "systolic/train/loops/fit_report.h"
#include "systolic/train/loops/input_wait.h"
#include "systolic/train/loops/training_data.h"
#include "systolic/train/loops/validation.h"
#include "systolic/train/state/input_state_scope.h"
#include "systolic/train/step/step_logs.h"
#include "systolic/train/step/step_losses.h"
#include "systolic/train/step/step_program.h"

namespace systolic::inline v0 {
namespace {

class FitLoop {
 public:
  FitLoop(const FitCall& call, EventStream& stream, const InterruptGuard& interrupt)
      : call_(call), state_(*call.state), stream_(stream), interrupt_(interrupt) {}

  void run() {
    state_.run().begin();
    std::optional<InputStateScope> scope;
    if (keeps_input_state_) scope.emplace(state_, [this] { return data_.input_state(); });
    const FitOptions& options = call_.options;
    for (int epoch = options.initial_epoch; epoch < options.epochs && !stopped(); ++epoch)
      run_epoch(epoch);
    if (!callbacks_ && !stopped()) begin_run(0);  // no epoch to run, as all were done
    if (callbacks_) callbacks_->call(&Callback::on_train_end, last_logs_);
    end_run();
  }

 private:
  bool stopped() const {
    return state_.run().is_stopped() || interrupt_.requested() || out_of_data_;
  }

  void run_epoch(int epoch) {
    if (callbacks_) input_wait_.begin();  // before the first step the model is built and compiled
    data_.open();
    cursor_.begin_epoch();
    std::optional<StepInput> input;
    if (!cursor_.only_closes()) input = data_.next();
    if (!input && !cursor_.only_closes()) return end_without_data(epoch);
    begin_epoch(epoch, input);
    while (input) {
      train_on(*input);
      if (cursor_.all_steps() || stopped()) break;
      input = data_.next();
    }
    if (cursor_.lacks_data()) end_data(epoch);
    end_epoch(epoch);
  }

  // Without `input` the epoch was trained by an earlier fit, and is only closed.
  void begin_epoch(int epoch, const std::optional<StepInput>& input) {
    trained_here_ = input.has_value();
    if (!callbacks_) {
      const int64_t rows =
          input ? (input->samples + input->steps - 1) / input->steps : data_.batch_size();
      report_before_training(call_, data_, rows);
      begin_run(rows);
    }
    if (input) reset_logs(state_);
    stream_.publish(events::EpochBegin{epoch});
    callbacks_->call(&Callback::on_epoch_begin, epoch);
  }

  void train_on(const StepInput& input) {
    const auto program = step_program(state_, StepKind::train, input, call_.location);
    // Asking compiles it, so that the first step's time does not hold the compilation. Programs of
    // other shapes, as that of a padded last batch, are compiled within their first step.
    if (program && compile_milliseconds_ == 0)
      compile_milliseconds_ = compile_step(*program, StepKind::train, call_.location);
    if (cursor_.step() == cursor_.first_step()) validation_.try_arrays();
    input_wait_.begin();
    callbacks_->call(&Callback::on_train_batch_begin, cursor_.step_in_epoch());
    const Stopwatch watch;
    auto results = run_step(state_, StepKind::train, input, program,
                            {.step = cursor_.step(), .location = call_.location});
    data_.done(input);
    losses_.add(std::move(results.front()), input.steps, known_losses_);
    cursor_.advance(input.steps);
    const Logs logs = callbacks_->want_batch_logs() ? read_logs(state_) : Logs{};
    const int64_t step = cursor_.step_in_epoch() - 1;
    stream_.publish(
        events::StepEnd{.step = step,
                        .steps = input.steps,
                        .samples = input.samples,
                        .milliseconds = watch.milliseconds() / static_cast<double>(input.steps)});
    publish_losses();
    callbacks_->call(&Callback::on_train_batch_end, step, logs);
  }

  void end_epoch(int epoch) {
    last_logs_ = trained_here_ ? read_logs(state_) : unknown_logs(state_);
    input_wait_.end([this] { return data_.report(); });
    data_.end_epoch();
    // What Ctrl-C cuts short is no epoch.
    const bool cut_short = interrupt_.requested() && !cursor_.complete();
    const bool ended = !cut_short && validate(epoch);
    stream_.publish(events::EpochEnd{.epoch = epoch, .logs = last_logs_, .cut_short = !ended});
    if (ended) callbacks_->call(&Callback::on_epoch_end, epoch, last_logs_);
  }

  // Where it is due; false if Ctrl-C came before its end.
  bool validate(int epoch) {
    const auto stops = [this] { return interrupt_.requested(); };
    return !validation_.is_due(epoch) || validation_.run(*callbacks_, stops, last_logs_);
  }

  void end_without_data(int epoch) {
    if (!callbacks_) raise_no_data(call_.location);
    end_data(epoch);
  }

  void end_data(int epoch) {
    out_of_data_ = true;
    report_data_ended(call_, cursor_, epoch);
  }

  // For batches of so many rows.
  void begin_run(int64_t rows) {
    const FitParameters parameters{.epochs = call_.options.epochs,
                                   .steps = call_.steps_of_an_epoch(),
                                   .batch_size = rows,
                                   .verbose = call_.options.verbose};
    stream_.set_step(cursor_.step());
    known_step_ = cursor_.step();
    stream_.publish(events::RunBegin{
        .kind = events::RunKind::fit,
        .name = state_.network.name(),
        .epochs = parameters.epochs,
        .steps = parameters.steps,
        .batch_size = rows,
        .cores = state_.cores,
        .verbose = parameters.verbose,
        .read_logs = [state = call_.state] { return read_logs(*state); },
        .read_learning_rate =
            [state = call_.state] { return state->optimizer->learning_rate().item<double>(); }});
    callbacks_.emplace(call_.model, call_.options.callbacks, parameters);
    callbacks_->call(&Callback::on_train_begin);
  }

  void end_run() {
    losses_.read_all(known_losses_);
    publish_losses();
    if (call_.options.verbose > 0 && !input_wait_.line().empty()) {
      stream_.publish(
          events::InputWait{.share = input_wait_.worst_share(),
                            .line = {.level = LogLevel::warning, .text = input_wait_.line()}});
    }
    const bool interrupted = interrupt_.requested();
    if (interrupted) report_interruption(cursor_, stream_.moment().samples, last_logs_);
    stream_.publish(events::RunEnd{.logs = last_logs_,
                                   .compile_milliseconds = compile_milliseconds_,
                                   .input_wait_seconds = data_.waited_seconds(),
                                   .input_wait_share = input_wait_.share(),
                                   .interrupted = interrupted});
  }

  void publish_losses() {
    for (const float loss : known_losses_)
      stream_.publish(events::LossKnown{.step = known_step_++, .loss = loss});
    known_losses_.clear();
  }

  const FitCall& call_;
  ModelState& state_;
  EventStream& stream_;
  const InterruptGuard& interrupt_;
  const bool keeps_input_state_ = CallbackList::want_input_state(call_.options.callbacks);
  EpochCursor cursor_{call_.options.steps_per_epoch};
  TrainingData data_{call_, cursor_, keeps_input_state_};
  const Validation validation_{call_};
  std::optional<CallbackList> callbacks_;  // once the first batch is there
  InputWait input_wait_{[] {
    const runtime::ClientPtr client = default_client();
    return client->counters(client->topology().addressable_cores().front());
  }};
  StepLosses losses_;
  std::vector<float> known_losses_;  // read, and still to be told
  int64_t known_step_ = 0;           // of the first of them
  Logs last_logs_;
  double compile_milliseconds_ = 0;
  bool trained_here_ = false;  // steps of the epoch
  bool out_of_data_ = false;
};

}  // namespace

void run_fit_loop(const FitCall& call, EventStream& stream, const InterruptGuard& interrupt) {
  FitLoop(call, stream, interrupt).run();
}

}  // namespace systolic::inline v0
