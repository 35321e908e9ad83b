#include "systolic/train/loops/model_feed.h"

#include "systolic/train/step/step_rules.h"

namespace systolic::inline v0 {

std::unique_ptr<StepFeed> open_feed(ModelState& model, StepKind kind, const data::Dataset& dataset,
                                    StepFeedOptions options) {
  {
    const auto locked = model.lock();
    options.batches.inputs = model.network().input_ports();
    const bool uses_labels = !model.compiled().losses.empty() || !model.compiled().metrics.empty();
    options.batches.wants_labels = kind != StepKind::predict && uses_labels;
    options.batches.cores = model.compiled().run_eagerly ? 1 : model.cores();
    options.steps_per_execution =
        kind == StepKind::predict ? 1 : model.compiled().steps_per_execution;
  }
  options.batches.build = [&model, kind](const std::vector<ir::Type>& inputs) {
    return build_for_rules(model, kind, inputs);
  };
  return std::make_unique<StepFeed>(dataset, options);
}

}  // namespace systolic::inline v0
