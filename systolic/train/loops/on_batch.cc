#include "systolic/train/loops/on_batch.h"

#include "systolic/base/error.h"
#include "systolic/train/loops/predict_loop.h"
#include "systolic/train/step/step_logs.h"
#include "systolic/train/step/step_program.h"

namespace systolic::inline v0 {

Logs run_on_batch(ModelState& model, StepKind kind, const std::string& what, const Example& batch,
                  const OnBatchOptions& options, SourceLocation location) {
  const StepInput input = read_batch(
      model, kind, batch,
      {.what = what, .location = location, .batches = {.class_weight = options.class_weight}});
  reset_logs(model, kind);
  const auto program = step_program(model, kind, input, location);
  run_step(model, kind, input, program, {.location = location});
  return read_logs(model);
}

std::vector<Literal> run_predict_on_batch(ModelState& model, const Example& batch,
                                          SourceLocation location) {
  const StepInput input = read_batch(model, StepKind::predict, batch,
                                     {.what = "predict_on_batch", .location = location});
  const auto program = step_program(model, StepKind::predict, input, location);
  std::vector<Literal> outputs;
  for (const auto& result :
       run_step(model, StepKind::predict, input, program, {.location = location}))
    outputs.push_back(real_rows(result->to_literal(), input, location));
  return outputs;
}

}  // namespace systolic::inline v0
