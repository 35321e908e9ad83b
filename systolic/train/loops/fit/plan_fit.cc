#include "systolic/train/loops/fit/plan_fit.h"

#include <optional>

#include "systolic/base/error.h"
#include "systolic/plan/plan.h"
#include "systolic/plan/planning_client.h"
#include "systolic/runtime/tpu_compiler.h"
#include "systolic/train/loops/fit/fit_report.h"
#include "systolic/train/loops/fit/training_data.h"
#include "systolic/train/step/step_program.h"

namespace systolic::inline v0 {
namespace {

// The types of an input, with another number of rows.
StepInput with_batch(const StepInput& input, int64_t rows) {
  StepInput result = input;
  for (ir::Type& type : result.types) type.shape = type.shape.without(0).with_inserted(0, rows);
  result.batch_size = rows;
  result.samples = rows * input.steps_per_execution;
  result.mask = nullptr;  // no row pads
  return result;
}

StepInput first_input(const FitCall& call, TrainingData& data) {
  data.open();
  const std::optional<StepInput> input = data.next();
  if (!input) raise_no_data(call.location);
  report_before_training(call, data, input->samples_of_a_step());
  return *input;
}

}  // namespace

void plan_fit(const plan::Request& request, const FitCall& call) {
  ModelState& model = *call.state;
  EpochCursor cursor(call.options.steps_per_epoch);
  TrainingData data(call, cursor, StateUse::none);
  const StepInput input = first_input(call, data);
  if (model.compiled().run_eagerly) {
    raise<FailedPrecondition>({.what = "a dry run of a model that runs eagerly",
                               .hint = "compile it without run_eagerly",
                               .location = call.location});
  }
  const int64_t cores = model.cores();
  const auto module_at = [&](int64_t batch) {
    return training_module(model, with_batch(input, batch * cores));
  };
  const auto compile = [&](int64_t batch) {
    const ir::Module module = module_at(batch);
    return runtime::compile_for_tpu(module, {.topology = request.topology,
                                             .effort = request.effort,
                                             .deadline_seconds = request.deadline_seconds,
                                             .library = request.library});
  };
  plan::Subject subject{.name = str("train_step of '", model.network().name(), "'"),
                        .batch = (input.batch_size + cores - 1) / cores,
                        .cores = cores};
  if (request.network) {
    subject.gradient_bytes = plan::updated_parameter_bytes(module_at(subject.batch));
  }
  plan::finish(request, plan::make_plan(request, subject, compile));
}

}  // namespace systolic::inline v0
