#include "systolic/train/loops/fit/fit_listeners.h"

#include <utility>

#include "systolic/base/process/interrupt.h"
#include "systolic/base/spans/named_work.h"
#include "systolic/train/loops/fit/fit_report.h"
#include "systolic/train/state/model_facts.h"
#include "systolic/train/step/step_logs.h"

namespace systolic::inline v0 {
namespace {

constinit spans::NamedWork tell_listeners{spans::WorkKind::host, "callbacks and sinks"};

}  // namespace

void FitListeners::begin_run(int64_t rows) {
  const FitParameters parameters{.epochs = call_.options.epochs,
                                 .steps = call_.steps_of_an_epoch(),
                                 .batch_size = rows,
                                 .verbose = call_.options.verbose};
  const std::shared_ptr<ModelState>& state = call_.state;
  stream_.set_step(cursor_.step());
  known_step_ = cursor_.step();
  stream_.publish(
      events::RunBegin{.kind = events::RunKind::fit,
                       .name = state->network().name(),
                       .epochs = parameters.epochs,
                       .steps = parameters.steps,
                       .batch_size = rows,
                       .cores = state->cores(),
                       .verbose = parameters.verbose,
                       .read_logs = [state] { return read_logs(*state); },
                       .read_learning_rate =
                           [state] {
                             const Optimizer& optimizer = state->optimizer();
                             return optimizer.learning_rate().item<double>();
                           },
                       .read_weights = [state] { return named_values(state->network()); },
                       .model_json = [state] { return model_json(state->network()); }});
  callbacks_.emplace(call_.model, call_.options.callbacks, parameters);
  callbacks_->call(&Callback::on_train_begin);
}

void FitListeners::begin_epoch(int epoch) {
  stream_.publish(events::EpochBegin{epoch});
  callbacks_->call(&Callback::on_epoch_begin, epoch);
}

void FitListeners::begin_step(const StepInput& input) {
  if (input.types != types_) tell_shapes(input);
  callbacks_->call(&Callback::on_train_batch_begin, cursor_.step_in_epoch());
}

void FitListeners::tell_shapes(const StepInput& input) {
  types_ = input.types;
  std::string text;
  for (size_t i = 0; i < types_.size(); ++i) {
    text += str(i == 0 ? "" : ", ", i < input.names.size() ? input.names[i] : "", " ",
                ir::to_string(types_[i]));
  }
  stream_.publish(events::StepShapes{.text = std::move(text)});
}

void FitListeners::end_step(const StepInput& input, runtime::BufferPtr losses,
                            const Stopwatch& watch) {
  const spans::Span span(tell_listeners);
  losses_.add(std::move(losses), input.steps, known_losses_);
  const Logs logs = callbacks_->any_wants_batch_logs() ? read_logs(*call_.state) : Logs{};
  const int64_t step = cursor_.step_in_epoch() - 1;
  stream_.publish(
      events::StepEnd{.step = step,
                      .steps = input.steps,
                      .samples = input.samples,
                      .milliseconds = watch.milliseconds() / static_cast<double>(input.steps)});
  publish_losses();
  callbacks_->call(&Callback::on_train_batch_end, step, logs);
}

void FitListeners::end_epoch(const events::EpochEnd& end) {
  stream_.publish(end);
  if (!end.cut_short) callbacks_->call(&Callback::on_epoch_end, end.epoch, end.logs);
}

void FitListeners::end_training(const Logs& logs) {
  if (callbacks_) callbacks_->end_training(logs);
}

void FitListeners::end_run(const events::RunEnd& end, const InputWait& wait, bool out_of_time) {
  losses_.read_all(known_losses_);
  publish_losses();
  if (call_.options.verbose > 0 && !wait.line().empty()) {
    stream_.publish(events::InputWait{.share = wait.worst_share(),
                                      .line = {.level = LogLevel::warning, .text = wait.line()}});
  }
  if (end.interrupted) {
    const std::string by(interrupted_by());
    report_interruption(out_of_time  ? std::string("Stopped by stop_after ")
                        : by.empty() ? std::string("Interrupted ")
                                     : str("Interrupted by ", by, " "),
                        cursor_, stream_.moment().samples, end.logs);
  }
  stream_.publish(end);
}

void FitListeners::publish_losses() {
  for (const float loss : known_losses_)
    stream_.publish(events::LossKnown{.step = known_step_++, .loss = loss});
  known_losses_.clear();
}

}  // namespace systolic::inline v0
