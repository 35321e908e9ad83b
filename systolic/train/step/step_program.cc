#include "systolic/train/step/step_program.h"

#include <algorithm>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/trace/ops/control_flow.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/replica_context.h"
#include "systolic/trace/tensor_state.h"
#include "systolic/trace/trace.h"
#include "systolic/train/state/check_compiled.h"
#include "systolic/train/state/model_view.h"
#include "systolic/train/step/step_computation.h"
#include "systolic/train/step/step_retrace.h"

namespace systolic::inline v0 {
namespace {

constexpr const char* call_names[] = {"fit", "evaluate", "predict"};

// What the model's layers, losses and metrics raise names the call, and its line where it names
// none.
template <class Body>
auto in_call(StepKind kind, SourceLocation location, const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    error.rethrow_within(call_names[static_cast<int>(kind)], location);
  }
}

// `count` steps over arrays stacked along a leading axis, in a loop on the device.
Tensor run_several(const ModelState& model, StepKind kind, const std::vector<Tensor>& stacked,
                   const Tensor& count, const StepInput& input, int64_t steps) {
  const Tensors last = while_loop(
      {constant(0), zeros({steps})}, [&](const Tensors& state) { return state[0] < count; },
      [&](const Tensors& state) {
        std::vector<Tensor> tensors;
        for (const Tensor& all_steps : stacked) tensors.push_back(all_steps[{state[0], ellipsis}]);
        const Tensor loss = compute_step(model, kind, unpack_step(tensors, input));
        const Tensor here = iota({steps}, 0) == state[0];
        return Tensors{state[0] + 1, where(here, loss, state[1])};
      });
  return last[1];
}

StepKeyView key_of(const ModelState& model, StepKind kind, const StepInput& input) {
  const bool is_cut =
      input.mask && kind != StepKind::predict && model.compiled().cuts_batches_for_metrics();
  return {.kind = kind,
          .steps_per_execution = input.steps_per_execution,
          .types = input.types,
          .weights = input.weights,
          .masked = input.mask != nullptr,
          .real_rows = is_cut ? input.real_rows : -1};
}

std::vector<ProgramParameter> parameters_for(const ModelState& model, const StepInput& input) {
  const int64_t steps = input.steps_per_execution;
  const bool several = steps > 1;
  std::vector<ir::Type> types = input.types;
  if (input.mask) types.push_back({DType::pred, {input.batch_size}});
  std::vector<ProgramParameter> parameters;
  for (ir::Type& type : types) {
    if (several) type.shape = type.shape.with_inserted(0, steps);
    ProgramParameter parameter{.type = type};
    if (model.cores() > 1) {
      parameter.parameter.sharding =
          ir::Sharding::along(several ? 1 : 0, type.shape.rank(), model.cores());
    }
    parameters.push_back(std::move(parameter));
  }
  if (several) parameters.push_back({.type = {DType::i32, {}}, .parameter = {.name = "count"}});
  return parameters;
}

std::shared_ptr<Program> traced(ModelState& model, StepKind kind, const StepInput& input) {
  const int64_t steps = input.steps_per_execution;
  // What the code asks for: the global form, in which a sum over the batch is a sum over all cores.
  const ReplicaContextScope context({.replicas = model.cores(), .per_core = false});
  const ProgramOptions options{
      .name = step_name(kind),
      .partitions = model.cores(),
      .split_products = model.compiled().matmul_precision.split(runtime::SplitProducts::forward)};
  auto body = [&](const std::vector<Tensor>& tensors) -> std::vector<Tensor> {
    if (kind == StepKind::predict)
      return model.network().outputs(unpack_step(tensors, input).inputs);
    if (steps == 1) return {reshape(compute_step(model, kind, unpack_step(tensors, input)), {1})};
    const std::vector<Tensor> stacked(tensors.begin(), tensors.end() - 1);
    return {run_several(model, kind, stacked, tensors.back(), input, steps)};
  };
  return std::make_shared<Program>(parameters_for(model, input), body, options);
}

std::vector<runtime::BufferPtr> step_arguments(const StepInput& input) {
  std::vector<runtime::BufferPtr> arguments = input.buffers;
  if (input.mask) arguments.push_back(input.mask);
  if (input.steps_per_execution > 1) {
    arguments.push_back(
        default_client()->from_host(Literal::scalar(static_cast<int32_t>(input.steps))));
  }
  return arguments;
}

// On the thread's implicit trace, which is run to the end: variables and metrics have their values.
std::vector<runtime::BufferPtr> run_op_by_op(ModelState& model, StepKind kind,
                                             const StepInput& input, SourceLocation location) {
  const ModelView held(model);
  std::vector<Tensor> tensors;
  for (const runtime::BufferPtr& buffer : step_arguments(input))
    tensors.push_back(tensor_of(buffer));
  StepTensors step = unpack_step(tensors, input);
  // What is predicted has a row for each, which the reader drops.
  if (step.mask && kind != StepKind::predict) step = without_padding(step, input.samples);
  const std::vector<Tensor> results = in_call(kind, location, [&]() -> std::vector<Tensor> {
    if (kind == StepKind::predict) return model.network().outputs(step.inputs);
    return {reshape(compute_step(model, kind, step), {1})};
  });
  std::vector<runtime::BufferPtr> buffers;
  for (const Tensor& result : results) buffers.push_back(buffer_of(result, location));
  Trace::implicit().flush();
  return buffers;
}

}  // namespace

std::shared_ptr<Program> step_program(ModelState& model, StepKind kind, const StepInput& input,
                                      SourceLocation location) {
  const ModelView held(model);
  // A callback may have taken the optimizer away.
  if (kind == StepKind::train) check_compiled(model, "fit", location);
  if (model.compiled().run_eagerly) return nullptr;
  const StepKeyView key = key_of(model, kind, input);
  if (auto known = model.programs().find(key)) return known;
  report_retraced_step(model, kind, input, location);
  // A loss or a layer that is traced may use the model itself, compile() included.
  auto program = in_call(kind, location, [&] { return traced(model, kind, input); });
  StepProgram step{.key = key.copy(), .program = program};
  if (kind == StepKind::train) step.trained = model.network().trainable_variables();
  model.add_program(std::move(step));
  return program;
}

bool trains_what_is_trainable(ModelState& model) {
  const ModelView held(model);
  const std::vector<Variable> trainable = model.network().trainable_variables();
  const std::vector<StepProgram>& all = model.programs().all();
  return std::all_of(all.begin(), all.end(), [&](const StepProgram& one) {
    return one.key.kind != StepKind::train || one.trained == trainable;
  });
}

double compile_step(Program& program, StepKind kind, SourceLocation location) {
  return in_call(kind, location, [&] { return program.compile_ms(); });
}

ir::Module training_module(ModelState& model, const StepInput& input) {
  const ModelView held(model);
  return traced(model, StepKind::train, input)->whole_module();
}

std::vector<runtime::BufferPtr> run_step(ModelState& model, StepKind kind, const StepInput& input,
                                         const std::shared_ptr<Program>& program,
                                         runtime::ExecuteOptions options) {
  if (!program) return run_op_by_op(model, kind, input, options.location);
  compile_step(*program, kind, options.location);  // where its errors get the caller's line
  options.loops_over_steps = input.steps_per_execution > 1;
  return program->run(step_arguments(input), options);
}

}  // namespace systolic::inline v0
