#include "systolic/train/loops/fit_loop.h"

#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/base/stopwatch.h"
#include "systolic/data/advice.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/train/batches/array_data.h"
#include "systolic/train/callbacks/callback_list.h"
#include "systolic/train/callbacks/progbar_logger.h"
#include "systolic/train/loops/batch_advice.h"
#include "systolic/train/loops/evaluate_loop.h"
#include "systolic/train/loops/input_wait.h"
#include "systolic/train/loops/loop_options.h"
#include "systolic/train/loops/model_feed.h"
#include "systolic/train/loops/plan_fit.h"
#include "systolic/train/state/input_state_scope.h"
#include "systolic/train/step/step_logs.h"
#include "systolic/train/step/step_losses.h"
#include "systolic/train/step/step_program.h"

namespace systolic::inline v0 {
namespace {

constexpr const char* of_validation = "fit, with its validation_data";

class FitLoop {
 public:
  FitLoop(Model& model, const data::Dataset& dataset, const FitOptions& options,
          const InterruptGuard& interrupt, SourceLocation location)
      : model_(model),
        state_(*model.state()),
        dataset_(dataset),
        options_(options),
        location_(location),
        interrupt_(interrupt),
        keeps_input_state_(CallbackList::want_input_state(options.callbacks)) {
    if (options.callbacks.empty())  // one may stop the training
      want_end(dataset, "steps_per_epoch", options.steps_per_epoch, location);
    if (!options.validation_data) return;
    const int64_t size =
        options.validation_batch_size.value_or(options.batch_size.value_or(default_batch_size));
    validation_ = validation_batches(state_, options.validation_data, size, location);
    want_end(*validation_, "validation_steps", options.validation_steps, location);
  }

  History run() {
    state_.stop_training = false;
    std::optional<InputStateScope> scope;
    if (keeps_input_state_) scope.emplace(state_, [this] { return input_state(); });
    for (int epoch = options_.initial_epoch; epoch < options_.epochs && !stopped(); ++epoch)
      run_epoch(epoch);
    if (!callbacks_ && !stopped()) attach_callbacks(0);  // no epoch to run, as all were done
    if (callbacks_) callbacks_->call(&Callback::on_train_end, last_logs_);
    losses_.read_all(history_.step_losses);
    if (feed_) history_.input_wait_seconds += feed_->waited_seconds();
    history_.input_wait_share = input_wait_.share();
    if (options_.verbose > 0 && !input_wait_.line().empty()) log_warning(input_wait_.line());
    if (interrupt_.requested()) report_interrupt();
    return std::move(history_);
  }

 private:
  bool stopped() const { return state_.stop_training || interrupt_.requested() || out_of_data_; }

  // At the start of an epoch. With steps_per_epoch the dataset is read on from epoch to epoch;
  // without, from the start each time.
  void want_feed() {
    if (feed_ && !feed_ended_) return;
    if (feed_) history_.input_wait_seconds += feed_->waited_seconds();
    StepFeedOptions feed{.what = "fit",
                         .location = location_,
                         .batches = {.class_weight = options_.class_weight},
                         .steps_per_epoch = options_.steps_per_epoch,
                         .keeps_state = keeps_input_state_};
    const bool is_first = !feed_;
    if (is_first) feed.state = options_.input_state;
    if (is_first && options_.verbose > 0) {
      feed.batches.on_first_batch = [this](const Example& batch) {
        advice_ = data::advice_on_values(batch);
      };
    }
    feed_ = open_feed(state_, StepKind::train, dataset_, std::move(feed));
    feed_ended_ = false;
    steps_before_ = feed_->steps_before();
    if (is_first) step_ = first_step_ = steps_of_earlier_fits();
  }

  // So that messages count a run's steps as if it had not been cut off. Where nobody knows how long
  // its epochs are, the optimizer, which is restored with the weights, has counted them.
  int64_t steps_of_earlier_fits() const {
    if (options_.initial_epoch == 0) return steps_before_;
    const int64_t steps = steps_of_an_epoch();
    if (steps > 0) return options_.initial_epoch * steps + steps_before_;
    return state_.optimizer->iterations().item<int64_t>();
  }

  // Negative where that is not known.
  int64_t steps_of_an_epoch() const {
    return options_.steps_per_epoch > 0 ? options_.steps_per_epoch : dataset_.cardinality();
  }

  // Behind the last batch of an epoch that ends with the data stands the first of the next one.
  std::string input_state() {
    if (!feed_ || (feed_ended_ && options_.steps_per_epoch < 0)) want_feed();
    return feed_->save();
  }

  // What is unwise in the pipeline: what the first batch showed, and what its stages show without
  // being called, as the feed's thread calls their functions now. Of padded rows batch_advice says.
  void advise() {
    for (std::string& line : data::advice_on_order(*dataset_.node()))
      advice_.push_back(std::move(line));
    for (std::string& line : data::advice_on_files(*dataset_.node(), state_.cores))
      advice_.push_back(std::move(line));
    for (const std::string& line : advice_) log_once(LogLevel::warning, line);
  }

  // `rows` are those of a batch, without padding.
  void begin_training(int64_t rows) {
    if (!trains_what_is_trainable(state_)) {
      log_once(
          LogLevel::warning,
          str("fit: layers of '", state_.network.name(),
              "' were frozen, or no longer, since its training step was made. It changes the "
              "weights that were trainable then; compile() lets it change those that are now."));
    } else if (state_.network.trainable_variables().empty()) {
      log_warning("fit: no weight of the model is trainable: only its metrics will change.");
    }
    if (options_.verbose > 0) {
      log_info(batch_advice(rows, state_.cores, default_client()->kind()));
      advise();
    }
    attach_callbacks(rows);
  }

  void attach_callbacks(int64_t rows) {
    const FitParameters parameters{.epochs = options_.epochs,
                                   .steps = steps_of_an_epoch(),
                                   .batch_size = rows,
                                   .verbose = options_.verbose};
    std::vector<CallbackPtr> all;
    // First: what others print stands below its line.
    if (options_.verbose > 0) all.push_back(ProgbarLogger());
    all.insert(all.end(), options_.callbacks.begin(), options_.callbacks.end());
    callbacks_.emplace(model_, std::move(all), parameters);
    callbacks_->call(&Callback::on_train_begin);
  }

  void run_epoch(int epoch) {
    if (callbacks_) input_wait_.begin();  // before the first step the model is built and compiled
    want_feed();
    step_in_epoch_ = std::exchange(steps_before_, 0);
    // From here on a saved input_state may stand within the epoch, or at its very end.
    const bool resumed = step_in_epoch_ > 0;
    if (resumed && step_in_epoch_ == options_.steps_per_epoch) return close_epoch(epoch);
    std::optional<StepInput> input = feed_->next();
    feed_ended_ = !input;
    if (!input && resumed) return close_epoch(epoch);
    if (!input) return report_no_data(epoch);
    if (!callbacks_) begin_training((input->samples + input->steps - 1) / input->steps);
    reset_logs(state_);
    callbacks_->call(&Callback::on_epoch_begin, epoch);
    for (; input; input = feed_->next()) {
      train_on(*input);
      const bool complete =
          options_.steps_per_epoch > 0 && step_in_epoch_ >= options_.steps_per_epoch;
      if (complete || stopped()) break;
    }
    feed_ended_ = !input;
    if (!input && options_.steps_per_epoch > 0) warn_out_of_data(epoch);
    end_epoch(epoch, read_logs(state_));
  }

  // The state was saved behind the epoch's last step: what comes after that is still to be done.
  void close_epoch(int epoch) {
    if (!callbacks_) begin_training(feed_->batch_size());
    callbacks_->call(&Callback::on_epoch_begin, epoch);
    if (feed_ended_ && options_.steps_per_epoch > 0) warn_out_of_data(epoch);
    end_epoch(epoch, unknown_logs(state_));
  }

  void train_on(const StepInput& input) {
    if (const auto& dry_run = plan::requested()) plan_fit(*dry_run, state_, input, location_);
    const auto program = step_program(state_, StepKind::train, input, location_);
    // Asking compiles it, so that the first step's time does not hold the compilation. Programs of
    // other shapes, as that of a padded last batch, are compiled within their first step.
    if (program && history_.compile_milliseconds == 0)
      history_.compile_milliseconds = compile_step(*program, StepKind::train, location_);
    try_validation_arrays();
    input_wait_.begin();
    callbacks_->call(&Callback::on_train_batch_begin, step_in_epoch_);
    const Stopwatch watch;
    auto results =
        run_step(state_, StepKind::train, input, program, {.step = step_, .location = location_});
    feed_->done(input);
    losses_.add(std::move(results.front()), input.steps, history_.step_losses);
    step_ += input.steps;
    step_in_epoch_ += input.steps;
    history_.samples += input.samples;
    const Logs logs = callbacks_->want_batch_logs() ? read_logs(state_) : Logs{};
    history_.step_milliseconds.push_back(watch.milliseconds() / static_cast<double>(input.steps));
    callbacks_->call(&Callback::on_train_batch_end, step_in_epoch_ - 1, logs);
  }

  void end_epoch(int epoch, Logs logs) {
    last_logs_ = std::move(logs);
    input_wait_.end([this] { return feed_->report(); });
    const bool all_steps = feed_ended_ || step_in_epoch_ == options_.steps_per_epoch;
    if (step_in_epoch_ == options_.steps_per_epoch) feed_->begin_epoch();
    // What Ctrl-C cuts short is no epoch.
    if (interrupt_.requested() && !all_steps) return;
    const bool validates = validation_ && (epoch + 1) % options_.validation_freq == 0;
    if (validates && !validate()) return;
    history_.epoch.push_back(epoch);
    for (const auto& [name, value] : last_logs_) history_.history[name].push_back(value);
    callbacks_->call(&Callback::on_epoch_end, epoch, last_logs_);
  }

  // Adds to the logs; false if Ctrl-C came before its end.
  bool validate() {
    const std::optional<Evaluation> validation = evaluate_validation_data();
    if (!validation) return false;
    for (const auto& [name, value] : validation->logs)
      last_logs_.emplace_back("val_" + name, value);
    return true;
  }

  EvaluateOptions validation_options() const {
    return {.steps = options_.validation_steps, .verbose = 0};
  }

  // Before the first step, so that what is wrong with arrays is found before a whole epoch. A
  // dataset may run code that is not to run beside that of the training data, and counts how often
  // it is read: it shows itself behind the epoch.
  void try_validation_arrays() {
    if (!validation_ || options_.validation_data.dataset()) return;
    if (!history_.step_milliseconds.empty()) return;
    try {
      try_evaluation(state_, *validation_, validation_options(), location_);
    } catch (const Error& error) {
      error.rethrow_within(of_validation, location_);
    }
  }

  std::optional<Evaluation> evaluate_validation_data() {
    try {
      return evaluate_with(*callbacks_, state_, *validation_, validation_options(), location_,
                           [this] { return interrupt_.requested(); });
    } catch (const Error& error) {
      error.rethrow_within(of_validation, location_);
    }
  }

  void report_no_data(int epoch) {
    step_in_epoch_ = 0;
    if (callbacks_) return warn_out_of_data(epoch);
    raise<InvalidArgument>(
        {.what = "fit was given a dataset without a single batch",
         .hint = "look at dataset.cardinality(), at filters, and at drop_remainder with a batch "
                 "larger than the data",
         .location = location_});
  }

  void warn_out_of_data(int epoch) {
    out_of_data_ = true;
    if (options_.steps_per_epoch < 0) {
      log_warning(str("The dataset gave no batch in epoch ", epoch + 1,
                      "; training stops. It is "
                      "read again in each epoch: a source that can be read once is not enough."));
      return;
    }
    log_warning(str("The dataset ended in epoch ", epoch + 1, " after ", step_in_epoch_, " of ",
                    options_.steps_per_epoch,
                    " steps; training stops. steps_per_epoch * epochs batches are needed: "
                    "add repeat() to the dataset, or leave steps_per_epoch out."));
  }

  void report_interrupt() {
    history_.interrupted = true;
    const std::string loss =
        last_logs_.empty() ? "" : str(", loss ", fixed(log_value(last_logs_, "loss"), 4));
    const std::string here = first_step_ > 0 ? str(step_ - first_step_, " of them here, ") : "";
    log_info(str("Interrupted after step ", step_, " (", here, history_.samples, " samples", loss,
                 ")."));
  }

  Model& model_;
  ModelState& state_;
  const data::Dataset& dataset_;
  const FitOptions& options_;
  std::optional<data::Dataset> validation_;
  SourceLocation location_;
  const InterruptGuard& interrupt_;
  std::optional<CallbackList> callbacks_;
  std::unique_ptr<StepFeed> feed_;
  int64_t steps_before_ = 0;  // of the epoch, where the feed reads on within one
  bool feed_ended_ = false;   // the feed gave nothing more
  const bool keeps_input_state_;
  std::vector<std::string> advice_;
  InputWait input_wait_{[] {
    const runtime::ClientPtr client = default_client();
    return client->counters(client->topology().addressable_cores().front());
  }};
  StepLosses losses_;
  History history_;
  Logs last_logs_;
  int64_t step_ = 0;        // of the run, also where an earlier fit began it
  int64_t first_step_ = 0;  // of this fit
  int64_t step_in_epoch_ = 0;
  bool out_of_data_ = false;
};

}  // namespace

History run_fit(Model& model, const data::Dataset& dataset, const FitOptions& given,
                SourceLocation location) {
  want_compiled(*model.state(), "fit", location);
  FitOptions options = given;
  for (const CallbackPtr& callback : given.callbacks) {
    if (callback) callback->before_fit(model, options);
  }
  want_steps("steps_per_epoch", options.steps_per_epoch, location);
  want_steps("validation_steps", options.validation_steps, location);
  if (options.validation_freq < 1) {
    raise<InvalidArgument>({.what = str("validation_freq = ", options.validation_freq),
                            .wanted = "1 or more epochs",
                            .location = location});
  }
  want_not_negative("epochs", options.epochs, location);
  want_not_negative("initial_epoch", options.initial_epoch, location);
  if (given.epochs <= given.initial_epoch) {
    log_warning(str("fit: no epoch to run: epochs = ", given.epochs,
                    ", initial_epoch = ", given.initial_epoch,
                    ". epochs is the number of the last epoch, not how "
                    "many are added."));
  }
  History history = [&] {
    const InterruptGuard interrupt(catches_of(options.on_interrupt));
    return FitLoop(model, dataset, options, interrupt, location).run();
  }();
  // Here the loop is gone, its thread joined and the handler put back.
  if (history.interrupted && options.on_interrupt == OnInterrupt::exit) exit_interrupted();
  return history;
}

}  // namespace systolic::inline v0
