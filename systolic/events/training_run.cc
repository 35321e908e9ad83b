#include "systolic/events/training_run.h"

#include <exception>
#include <utility>

namespace systolic::inline v0 {

TrainingRun::TrainingRun(TrainingRunOptions options)
    : batch_size_(options.batch_size), exceptions_(std::uncaught_exceptions()) {
  for (EventSinkPtr& sink : options.sinks) stream_.add(std::move(sink));
  for (EventSinkPtr& sink : options.background_sinks) stream_.add_in_background(std::move(sink));
  stream_.set_step(options.first_step);
  publish(events::RunBegin{.name = std::move(options.name),
                           .epochs = options.epochs,
                           .steps = options.steps,
                           .batch_size = options.batch_size,
                           .verbose = options.verbose,
                           .read_logs = std::move(options.read_logs),
                           .read_learning_rate = std::move(options.read_learning_rate),
                           .read_weights = std::move(options.read_weights),
                           .model_json = std::move(options.model_json)});
}

TrainingRun::~TrainingRun() {
  if (std::uncaught_exceptions() > exceptions_) {
    publish(events::Failure{.what = "an exception ended the loop"});
  } else {
    publish(events::RunEnd{.logs = last_logs_});
  }
}

void TrainingRun::begin_epoch(int epoch) {
  step_in_epoch_ = 0;
  publish(events::EpochBegin{epoch});
  watch_ = Stopwatch();
}

void TrainingRun::end_step(const StepOptions& options) {
  const double milliseconds = watch_.milliseconds() / static_cast<double>(options.steps);
  watch_ = Stopwatch();
  step_in_epoch_ += options.steps;
  publish(events::StepEnd{.step = step_in_epoch_ - 1,
                          .steps = options.steps,
                          .samples = options.samples.value_or(batch_size_ * options.steps),
                          .milliseconds = milliseconds});
  if (!options.loss) return;
  publish(events::LossKnown{.step = stream_.moment().step - 1,
                            .loss = static_cast<float>(*options.loss)});
}

void TrainingRun::end_epoch(Logs logs) {
  last_logs_ = logs;
  publish(events::EpochEnd{.epoch = stream_.moment().epoch, .logs = std::move(logs)});
}

}  // namespace systolic::inline v0
