#include "systolic/train/loops/model_feed.h"

#include <utility>

#include "systolic/base/error.h"
#include "systolic/train/batches/batch_reader.h"
#include "systolic/train/batches/step_transfer.h"
#include "systolic/train/state/model_view.h"
#include "systolic/train/step/build_for_rules.h"

namespace systolic::inline v0 {
namespace {

// Labels have the model's name for them, or "y" as arrays do.
void add_input_of_labels(Example& batch, const InputOfLabels& rule, const std::string& label) {
  if (batch.contains(rule.input)) return;
  const Literal* labels = batch.find(label);
  if (labels == nullptr) labels = batch.find("y");
  if (labels != nullptr) batch.set(rule.input, rule.make(*labels));
}

// How batches are read, as far as the model says it.
void add_model_options(ModelState& model, StepKind kind, BatchOptions& batches) {
  const ModelView view(model);
  batches.inputs = view.network().input_ports();
  const Compiled& compiled = view.compiled();
  const bool uses_labels =
      !compiled.losses.empty() || !compiled.metrics.empty() || compiled.own_step(kind) != nullptr;
  batches.wants_labels = kind != StepKind::predict && uses_labels;
  batches.cores = compiled.run_eagerly ? 1 : model.cores();
  const OwnLoss& own = view.own_loss();
  if (batches.wants_labels && own.input_of_labels) {
    batches.complete = [rule = *own.input_of_labels, label = own.label_names.front()](
                           Example& batch) { add_input_of_labels(batch, rule, label); };
  }
  batches.build = [&model, kind](const std::vector<ir::Type>& inputs) {
    return build_for_rules(model, kind, inputs);
  };
}

}  // namespace

std::unique_ptr<StepFeed> open_feed(ModelState& model, StepKind kind, const data::Dataset& dataset,
                                    StepFeedOptions options) {
  add_model_options(model, kind, options.batches);
  options.batches.cores /= options.piece.count;  // those of this process
  if (kind != StepKind::predict) options.steps_per_execution = model.compiled().steps_per_execution;
  return std::make_unique<StepFeed>(dataset, options);
}

StepInput read_batch(ModelState& model, StepKind kind, const Example& batch,
                     StepFeedOptions options) {
  try {
    add_model_options(model, kind, options.batches);
    const int64_t cores = options.batches.cores;
    const bool divides = !batch.empty() && batch.value(0).rank() > 0 && rows_of(batch) % cores == 0;
    if (divides) {
      // Nothing pads it, so that nothing needs to be known of what that would do.
      options.batches.build = [build = options.batches.build](const auto& inputs) {
        StepRules rules = build(inputs);
        rules.padding = {};
        return rules;
      };
    }
    BatchReader reader(std::move(options.batches), 0);
    const Example ready = reader.prepared(batch);
    const StepTransfer transfer({.cores = cores, .location = options.location});
    return transfer({ready}, reader.layout(), reader.padded_rows(ready));
  } catch (const Error& error) {
    error.rethrow_within(options.what, options.location);
  }
}

}  // namespace systolic::inline v0
