// Model::train_on_batch and its like.
#include "systolic/base/error.h"
#include "systolic/train/batches/array_data.h"
#include "systolic/train/loops/on_batch.h"
#include "systolic/train/model/model.h"
#include "systolic/train/model/predicted_outputs.h"
#include "systolic/train/state/check_compiled.h"
#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {
namespace {

Logs step_on_arrays(ModelState& state, StepKind kind, const char* what, const ModelArrays& x,
                    const ModelArrays& y, const OnBatchOptions& options, SourceLocation location) {
  check_compiled(state, what, location);
  const ArrayData data(what, state, x, y, options.sample_weight, location);
  return run_on_batch(state, kind, what, data.components(), options, location);
}

Logs step_on_element(ModelState& state, StepKind kind, const char* what, const Example& batch,
                     const OnBatchOptions& options, SourceLocation location) {
  check_compiled(state, what, location);
  if (!options.sample_weight.empty()) {
    raise<InvalidArgument>({.what = str(what, " of a batch of a dataset with sample_weight"),
                            .hint = "give the batch a component \"sample_weight\"",
                            .location = location});
  }
  return run_on_batch(state, kind, what, batch, options, location);
}

void check_no_class_weight(const OnBatchOptions& options, SourceLocation location) {
  if (options.class_weight.empty()) return;
  raise<InvalidArgument>({.what = "test_on_batch with class_weight, which is for training",
                          .hint = "give sample_weight",
                          .location = location});
}

std::vector<Literal> predicted(ModelState& state, const ModelArrays& x, SourceLocation location) {
  const ArrayData data("predict_on_batch", state, x, {}, {}, location);
  return run_predict_on_batch(state, data.components(), location);
}

}  // namespace

Logs Model::train_on_batch(const ModelArrays& x, const ModelArrays& y,
                           const OnBatchOptions& options, SourceLocation location) {
  return step_on_arrays(*state_, StepKind::train, "train_on_batch", x, y, options, location);
}
Logs Model::train_on_batch(const Example& batch, const OnBatchOptions& options,
                           SourceLocation location) {
  return step_on_element(*state_, StepKind::train, "train_on_batch", batch, options, location);
}

Logs Model::test_on_batch(const ModelArrays& x, const ModelArrays& y, const OnBatchOptions& options,
                          SourceLocation location) {
  check_no_class_weight(options, location);
  return step_on_arrays(*state_, StepKind::evaluate, "test_on_batch", x, y, options, location);
}
Logs Model::test_on_batch(const Example& batch, const OnBatchOptions& options,
                          SourceLocation location) {
  check_no_class_weight(options, location);
  return step_on_element(*state_, StepKind::evaluate, "test_on_batch", batch, options, location);
}

Literal Model::predict_on_batch(const ModelArrays& x, SourceLocation location) const {
  return only_output(*state_, predicted(*state_, x, location), location);
}
Example Model::predict_outputs_on_batch(const ModelArrays& x, SourceLocation location) const {
  return named_outputs(*state_, predicted(*state_, x, location));
}

}  // namespace systolic::inline v0
