#include "systolic/train/loops/evaluate_loop.h"

#include <memory>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/events/within_run.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/train/loops/loop_options.h"
#include "systolic/train/loops/model_feed.h"
#include "systolic/train/sinks/progress_sink.h"
#include "systolic/train/state/check_compiled.h"
#include "systolic/train/step/step_logs.h"
#include "systolic/train/step/step_program.h"

namespace systolic::inline v0 {
namespace {

void warn_if_short(const Evaluation& evaluation, int64_t steps, const EvaluateOptions& options) {
  if (steps >= options.steps) return;
  publish_warning(str("evaluate: the dataset ended after ", steps, " of ", options.steps,
                      " steps; the result is that of ", evaluation.samples, " samples."));
}

// The data of an evaluation, its first batch read.
struct OpenData {
  std::unique_ptr<StepFeed> feed;
  std::optional<StepInput> first;
};

OpenData open_data(ModelState& state, const data::Dataset& dataset, const EvaluateOptions& options,
                   SourceLocation location) {
  check_end(dataset, "steps", options.steps, location);
  OpenData opened{
      open_feed(state, StepKind::evaluate, dataset,
                {.what = "evaluate", .location = location, .steps_per_epoch = options.steps}),
      {}};
  opened.first = opened.feed->next();
  if (opened.first) return opened;
  raise<InvalidArgument>(
      {.what = "evaluate was given a dataset without a single batch", .location = location});
}

}  // namespace

void try_evaluation(ModelState& state, const data::Dataset& dataset, const EvaluateOptions& options,
                    SourceLocation location) {
  const OpenData opened = open_data(state, dataset, options, location);
  step_program(state, StepKind::evaluate, *opened.first, location);
}

std::optional<Evaluation> evaluate_with(const CallbackList& callbacks, ModelState& state,
                                        const data::Dataset& dataset,
                                        const EvaluateOptions& options, SourceLocation location,
                                        const std::function<bool()>& stops) {
  OpenData opened = open_data(state, dataset, options, location);
  Evaluation evaluation;
  callbacks.call(&Callback::on_test_begin);  // in a fit the epoch's totals still stand
  reset_logs(state, StepKind::evaluate);
  publish(events::EvaluationBegin{});
  int64_t steps = 0;
  for (std::optional<StepInput> input = std::move(opened.first); input;
       input = opened.feed->next()) {
    if (stops()) return std::nullopt;
    callbacks.call(&Callback::on_test_batch_begin, steps);
    run_step(state, StepKind::evaluate, *input,
             step_program(state, StepKind::evaluate, *input, location),
             {.step = steps, .location = location});
    steps += input->steps;
    evaluation.samples += input->samples;
    const Logs logs = callbacks.any_wants_batch_logs() ? read_logs(state) : Logs{};
    publish(events::EvaluationStep{
        .step = steps - 1, .steps = input->steps, .samples = input->samples});
    callbacks.call(&Callback::on_test_batch_end, steps - 1, logs);
    if (options.steps > 0 && steps >= options.steps) break;
  }
  evaluation.logs = read_logs(state);
  publish(events::EvaluationEnd{.logs = evaluation.logs, .samples = evaluation.samples});
  callbacks.call(&Callback::on_test_end, evaluation.logs);
  warn_if_short(evaluation, steps, options);
  return evaluation;
}

Evaluation run_evaluate(const Model& model, const std::shared_ptr<ModelState>& state,
                        const data::Dataset& dataset, const EvaluateOptions& options,
                        SourceLocation location) {
  check_compiled(*state, "evaluate", location);
  default_client();  // says which of the run's processes this is
  EventStream stream;
  for (const EventSinkPtr& sink : options.event_sinks) stream.add_in_background(sink);
  if (verbose_here(options.verbose) > 0) stream.add(ProgressSink());
  return within_run(stream, [&] {
    check_steps("steps", options.steps, location);
    const FitParameters parameters{
        .steps = options.steps > 0 ? options.steps : dataset.cardinality(),
        .verbose = options.verbose};
    const CallbackList callbacks(model, options.callbacks, parameters);
    stream.publish(events::RunBegin{.kind = events::RunKind::evaluate,
                                    .name = state->network().name(),
                                    .steps = parameters.steps,
                                    .cores = state->cores(),
                                    .verbose = options.verbose,
                                    .read_logs = [state] { return read_logs(*state); }});
    const auto never = [] { return false; };
    Evaluation evaluation = *evaluate_with(callbacks, *state, dataset, options, location, never);
    stream.publish(events::RunEnd{.logs = evaluation.logs});
    return evaluation;
  });
}

}  // namespace systolic::inline v0
