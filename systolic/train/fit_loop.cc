#include "systolic/train/fit_loop.h"

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/trace/default_client.h"
#include "systolic/train/batch_advice.h"
#include "systolic/train/callbacks/progbar_logger.h"
#include "systolic/train/step_losses.h"
#include "systolic/train/training_step.h"

namespace systolic::inline v0 {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Which labels the loss of output `i`, of that shape, takes.
LabelRange label_range(const ModelState& model, size_t i, const Shape& output) {
  const size_t which = model.losses.size() == 1 ? 0 : i;
  if (which >= model.losses.size()) return {};
  const std::optional<ClassLabels> labels = model.losses[which].class_labels();
  const int axis = labels ? labels->axis + (labels->axis < 0 ? output.rank() : 0) : -1;
  if (axis < 0 || axis >= output.rank()) return {};
  return {.classes = output[axis], .ignored = labels->ignored};
}

StepFeedOptions feed_options(ModelState& model, StepKind kind, int64_t steps_per_epoch) {
  const std::lock_guard lock(model.programs_mutex);
  StepFeedOptions options;
  for (const NetworkPort& port : model.network.input_ports())
    options.input_names.push_back(port.name);
  const bool uses_labels = !model.losses.empty() || !model.metrics.empty();
  options.wants_labels = kind != StepKind::predict && uses_labels;
  options.replicas = model.replicas;
  options.steps_per_execution = kind == StepKind::predict ? 1 : model.steps_per_execution;
  options.steps_per_epoch = steps_per_epoch;
  if (!model.network.built()) return options;
  const auto outputs = model.network.output_ports();
  options.outputs = outputs.size();
  for (size_t i = 0; i < outputs.size(); ++i) {
    options.labels.push_back(label_range(model, i, outputs[i].type.shape));
  }
  return options;
}

// A network without an Input layer learns its shapes from the first batch.
void build_from(ModelState& model, const StepInput& input) {
  const std::lock_guard lock(model.programs_mutex);
  if (model.network.built()) return;
  std::vector<SymbolType> types;
  for (size_t i = 0; i < input.inputs; ++i) {
    Shape shape = input.types[i].shape;
    shape.set(0, -1);
    types.push_back({input.types[i].dtype, shape});
  }
  model.network.build(types);
}

class Callbacks {
 public:
  Callbacks(Model& model, std::vector<CallbackPtr> callbacks, const FitParameters& parameters)
      : callbacks_(std::move(callbacks)) {
    for (const CallbackPtr& callback : callbacks_) callback->attach(model, parameters);
  }
  template <class Method, class... Args>
  void call(Method method, const Args&... args) const {
    for (const CallbackPtr& callback : callbacks_) ((*callback).*method)(args...);
  }
  bool want_batch_logs() const {
    for (const CallbackPtr& callback : callbacks_) {
      if (callback->wants_batch_logs()) return true;
    }
    return false;
  }

 private:
  std::vector<CallbackPtr> callbacks_;
};

class FitLoop {
 public:
  FitLoop(Model& model, const data::Dataset& dataset, const FitOptions& options,
          SourceLocation location)
      : model_(model),
        state_(*model.state()),
        dataset_(dataset),
        options_(options),
        location_(location) {}

  History run() {
    const InterruptGuard interrupt(options_.on_interrupt);
    interrupt_ = &interrupt;
    state_.stop_training = false;
    for (int epoch = options_.initial_epoch; epoch < options_.epochs && !stopped(); ++epoch)
      run_epoch(epoch);
    if (callbacks_) callbacks_->call(&Callback::on_train_end, last_logs_);
    losses_.read_all(history_.step_losses);
    if (feed_) history_.input_wait_seconds += feed_->waited_seconds();
    if (interrupt.requested()) report_interrupt();
    return std::move(history_);
  }

 private:
  bool stopped() const { return state_.stop_training || interrupt_->requested() || out_of_data_; }

  // With steps_per_epoch the dataset is read on from epoch to epoch; without, from the start each
  // time.
  void open_feed() {
    if (feed_ && options_.steps_per_epoch > 0) return;
    if (feed_) history_.input_wait_seconds += feed_->waited_seconds();
    feed_ = std::make_unique<StepFeed>(
        dataset_, feed_options(state_, StepKind::train, options_.steps_per_epoch));
  }

  void begin_training(const StepInput& first) {
    build_from(state_, first);
    const int64_t cardinality = dataset_.cardinality();
    const int64_t rows = (first.samples + first.steps - 1) / first.steps;  // without padding
    const FitParameters parameters{
        .epochs = options_.epochs,
        .steps = options_.steps_per_epoch > 0 ? options_.steps_per_epoch : cardinality,
        .batch_size = rows,
        .verbose = options_.verbose};
    std::vector<CallbackPtr> all = options_.callbacks;
    if (options_.verbose > 0) {
      log_info(batch_advice(rows, state_.replicas, default_client()->kind()));
      all.push_back(ProgbarLogger());
    }
    callbacks_.emplace(model_, std::move(all), parameters);
    callbacks_->call(&Callback::on_train_begin);
  }

  void run_epoch(int epoch) {
    open_feed();
    std::optional<StepInput> input = feed_->next();
    if (!input) return report_no_data(epoch);
    if (!callbacks_) begin_training(*input);
    reset_logs(state_);
    callbacks_->call(&Callback::on_epoch_begin, epoch);
    step_in_epoch_ = 0;
    for (; input; input = feed_->next()) {
      run_step(*input);
      const bool complete =
          options_.steps_per_epoch > 0 && step_in_epoch_ >= options_.steps_per_epoch;
      if (complete || stopped()) break;
    }
    if (!input && options_.steps_per_epoch > 0) warn_out_of_data(epoch);
    end_epoch(epoch);
  }

  void run_step(const StepInput& input) {
    const auto program = step_program(state_, StepKind::train, input, state_.steps_per_execution);
    if (history_.compile_milliseconds == 0) history_.compile_milliseconds = program->compile_ms();
    const Clock::time_point start = Clock::now();
    auto results = program->run(step_arguments(input, state_.steps_per_execution),
                                {.step = step_, .location = location_});
    losses_.add(std::move(results.front()), input.steps, history_.step_losses);
    step_ += input.steps;
    step_in_epoch_ += input.steps;
    history_.samples += input.samples;
    const Logs logs = callbacks_->want_batch_logs() ? read_logs(state_) : Logs{};
    callbacks_->call(&Callback::on_train_batch_end, step_in_epoch_ - 1, logs);
    history_.step_milliseconds.push_back(milliseconds_since(start) /
                                         static_cast<double>(input.steps));
  }

  void end_epoch(int epoch) {
    last_logs_ = read_logs(state_);
    const bool validates = options_.validation_data && (epoch + 1) % options_.validation_freq == 0;
    if (validates && !interrupt_->requested()) {
      const Evaluation validation = model_.evaluate(
          *options_.validation_data, {.steps = options_.validation_steps, .verbose = 0});
      for (const auto& [name, value] : validation.logs)
        last_logs_.emplace_back("val_" + name, value);
    }
    history_.epoch.push_back(epoch);
    for (const auto& [name, value] : last_logs_) history_.history[name].push_back(value);
    callbacks_->call(&Callback::on_epoch_end, epoch, last_logs_);
  }

  void report_no_data(int epoch) {
    if (callbacks_) return warn_out_of_data(epoch);
    raise<InvalidArgument>(
        {.what = "fit was given a dataset without a single batch",
         .hint = "look at dataset.cardinality(), at filters, and at drop_remainder with a batch "
                 "larger than the data",
         .location = location_});
  }

  void warn_out_of_data(int epoch) {
    out_of_data_ = true;
    log_warning(str("The dataset ended in epoch ", epoch + 1, " after ", step_in_epoch_, " of ",
                    options_.steps_per_epoch,
                    " steps; training stops. steps_per_epoch * epochs batches are needed: "
                    "add repeat() to the dataset, or leave steps_per_epoch out."));
  }

  void report_interrupt() {
    history_.interrupted = true;
    log_info(str("Interrupted after step ", step_, " (", history_.samples, " samples, loss ",
                 fixed(log_value(last_logs_, "loss"), 4), ")."));
    if (options_.on_interrupt != OnInterrupt::exit) return;
    std::cout.flush();
    std::exit(130);
  }

  Model& model_;
  ModelState& state_;
  const data::Dataset& dataset_;
  const FitOptions& options_;
  SourceLocation location_;
  const InterruptGuard* interrupt_ = nullptr;
  std::optional<Callbacks> callbacks_;
  std::unique_ptr<StepFeed> feed_;
  StepLosses losses_;
  History history_;
  Logs last_logs_;
  int64_t step_ = 0;
  int64_t step_in_epoch_ = 0;
  bool out_of_data_ = false;
};

void want_compiled(const ModelState& state, std::string_view what, SourceLocation location) {
  if (state.optimizer) return;
  raise<FailedPrecondition>({.what = str(what, " of a model that is not compiled"),
                             .hint = "call model.compile({.optimizer = Adam{}, .loss = ...}) first",
                             .location = location});
}

std::string log_name(const ModelState& model, const OutputMetric& one) {
  if (!one.named_after_output) return one.metric.name();
  return str(model.network.output_ports().at(one.output).name, "_", one.metric.name());
}

double single_value(const Literal& value, const std::string& metric) {
  if (value.size() == 1) return value.number_at(0);
  raise<InvalidArgument>({.what = str("metric '", metric, "' gives ", value.size(), " values"),
                          .wanted = "one, to stand in logs",
                          .hint = "give compile a metric for each threshold"});
}

}  // namespace

Logs read_logs(ModelState& model) {
  if (!model.results_program) {
    auto body = [&](const std::vector<Tensor>&) {
      std::vector<Tensor> results{model.loss_metric.result()};
      for (const OutputMetric& one : model.metrics) results.push_back(one.metric.result());
      return results;
    };
    model.results_program = std::make_shared<Program>(std::vector<ProgramParameter>{}, body,
                                                      ProgramOptions{.name = "read_metrics"});
  }
  const auto results = model.results_program->run({});
  Logs logs{{"loss", results[0]->to_literal().number_at(0)}};
  for (size_t i = 0; i < model.metrics.size(); ++i) {
    const std::string name = log_name(model, model.metrics[i]);
    logs.emplace_back(name, single_value(results[i + 1]->to_literal(), name));
  }
  return logs;
}

void reset_logs(ModelState& model) {
  model.loss_metric.reset_state();
  for (const OutputMetric& one : model.metrics) one.metric.reset_state();
}

History run_fit(Model& model, const data::Dataset& dataset, const FitOptions& options,
                SourceLocation location) {
  want_compiled(*model.state(), "fit", location);
  return FitLoop(model, dataset, options, location).run();
}

Evaluation run_evaluate(Model& model, const data::Dataset& dataset, const EvaluateOptions& options,
                        SourceLocation location) {
  ModelState& state = *model.state();
  want_compiled(state, "evaluate", location);
  StepFeed feed(dataset, feed_options(state, StepKind::evaluate, options.steps));
  Evaluation evaluation;
  reset_logs(state);
  int64_t steps = 0;
  for (std::optional<StepInput> input = feed.next(); input; input = feed.next()) {
    build_from(state, *input);
    step_program(state, StepKind::evaluate, *input, state.steps_per_execution)
        ->run(step_arguments(*input, state.steps_per_execution),
              {.step = steps, .location = location});
    steps += input->steps;
    evaluation.samples += input->samples;
    for (const CallbackPtr& callback : options.callbacks)
      callback->on_test_batch_end(steps - 1, {});
    if (options.steps > 0 && steps >= options.steps) break;
  }
  if (steps == 0) {
    raise<InvalidArgument>(
        {.what = "evaluate was given a dataset without a single batch", .location = location});
  }
  if (steps < options.steps) {
    log_warning(str("evaluate: the dataset ended after ", steps, " of ", options.steps,
                    " steps; the result is that of ", evaluation.samples, " samples."));
  }
  evaluation.logs = read_logs(state);
  if (options.verbose > 0) {
    std::string text = str(steps, "/", steps);
    for (const auto& [name, value] : evaluation.logs)
      text += str(" - ", name, ": ", fixed(value, 4));
    std::cout << text << std::endl;
  }
  return evaluation;
}

Literal run_predict(const Model& model, const data::Dataset& dataset, const PredictOptions& options,
                    SourceLocation location) {
  ModelState& state = *model.state();
  StepFeed feed(dataset, feed_options(state, StepKind::predict, options.steps));
  std::vector<Literal> parts;
  int64_t steps = 0;
  for (std::optional<StepInput> input = feed.next(); input; input = feed.next()) {
    build_from(state, *input);
    const auto results =
        step_program(state, StepKind::predict, *input, 1)
            ->run(step_arguments(*input, 1), {.step = steps, .location = location});
    parts.push_back(first_rows(results.front()->to_literal(), input->samples));
    ++steps;
    if (options.steps > 0 && steps >= options.steps) break;
  }
  if (parts.empty()) {
    raise<InvalidArgument>(
        {.what = "predict was given a dataset without a single batch", .location = location});
  }
  return joined(parts);
}

}  // namespace systolic::inline v0
