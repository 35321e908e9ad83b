#include "systolic/train/loops/predict_loop.h"

#include <memory>
#include <optional>

#include "systolic/base/error.h"
#include "systolic/core/put_together.h"
#include "systolic/train/loops/callback_list.h"
#include "systolic/train/loops/loop_options.h"
#include "systolic/train/loops/model_feed.h"
#include "systolic/train/step/step_program.h"

namespace systolic::inline v0 {

Literal real_rows(const Literal& output, const StepInput& input, SourceLocation location) {
  if (output.rank() > 0 && output.shape()[0] == input.batch_size)
    return output.rows(0, input.samples);
  raise<InvalidArgument>({.what = str("predict: the output of a batch of ", input.batch_size,
                                      " rows has shape ", output.shape()),
                          .wanted = "a batch axis of as many rows",
                          .location = location});
}

namespace {

// For each output: its rows of all steps, as one array.
std::vector<Literal> joined_outputs(const std::vector<std::vector<Literal>>& parts,
                                    SourceLocation location) {
  std::vector<Literal> outputs;
  for (const std::vector<Literal>& part : parts) {
    outputs.push_back(
        joined(part, {.what = "predict",
                      .unit = "the output of batch",
                      .hint = "predict inputs of one size at a time, or batch them apart",
                      .location = location}));
  }
  return outputs;
}

}  // namespace

std::vector<Literal> run_predict(const Model& model, ModelState& state,
                                 const data::Dataset& dataset, const PredictOptions& options,
                                 SourceLocation location) {
  check_steps("steps", options.steps, location);
  check_end(dataset, "steps", options.steps, location);
  const CallbackList callbacks(model, options.callbacks, {.steps = options.steps});
  const std::unique_ptr<StepFeed> feed =
      open_feed(state, StepKind::predict, dataset,
                {.what = "predict", .location = location, .steps_per_epoch = options.steps});
  std::vector<std::vector<Literal>> parts;  // of each output, one a step
  for (int64_t step = 0; options.steps < 0 || step < options.steps; ++step) {
    const std::optional<StepInput> input = feed->next();
    if (!input) break;
    if (step == 0) callbacks.call(&Callback::on_predict_begin);
    callbacks.call(&Callback::on_predict_batch_begin, step);
    const auto results = run_step(state, StepKind::predict, *input,
                                  step_program(state, StepKind::predict, *input, location),
                                  {.step = step, .location = location});
    parts.resize(results.size());
    for (size_t i = 0; i < results.size(); ++i)
      parts[i].push_back(real_rows(results[i]->to_literal(), *input, location));
    callbacks.call(&Callback::on_predict_batch_end, step);
  }
  if (parts.empty()) {
    raise<InvalidArgument>(
        {.what = "predict was given a dataset without a single batch", .location = location});
  }
  callbacks.call(&Callback::on_predict_end);
  return joined_outputs(parts, location);
}

}  // namespace systolic::inline v0
