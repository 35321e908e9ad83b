#include "systolic/train/step/probe.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "systolic/trace/program/trace_and_forget.h"
#include "systolic/trace/replica_context.h"
#include "systolic/trace/tensor_state.h"
#include "systolic/trace/trace.h"
#include "systolic/train/step/step_metrics.h"
#include "systolic/train/step/step_outputs.h"

namespace systolic::inline v0 {
namespace {

const ir::Function& current_function() { return Trace::current().builder().function(); }

// The parameter of the program that `range.values` is, or is a part of, with other types or axes at
// most.
std::optional<InputRange> range_of_input(const ir::Function& function, const IntegerRange& range) {
  const ir::Block& block = function.body;
  InputRange found{.limit = range.limit, .layer = range.layer};
  ir::ValueId value = range.values.state()->value;
  for (auto op = block.ops.rbegin(); op != block.ops.rend(); ++op) {
    if (op->results.size() != 1 || op->results[0] != value) continue;
    if (op->code == ir::OpCode::convert && is_float(function.type(op->operands[0]).dtype))
      found.cuts = found.cuts || is_integer(function.type(value).dtype);
    const bool moves = op->code == ir::OpCode::reshape || op->code == ir::OpCode::transpose;
    // The part of an input, in whose own axes it is known.
    const bool of_part = found.part.has_value();
    if (op->code == ir::OpCode::slice && !of_part) {
      found.part = op->get<ir::SliceAttributes>();
    } else if (op->code != ir::OpCode::convert && (!moves || of_part)) {
      return std::nullopt;
    }
    value = op->operands[0];
  }
  const auto argument = std::find(block.arguments.begin(), block.arguments.end(), value);
  if (argument == block.arguments.end()) return std::nullopt;
  found.input = static_cast<size_t>(argument - block.arguments.begin());
  return found;
}

// Those of `wanted` that are of the first `inputs` arguments of the trace under way, or parts of
// them, with other types or axes at most.
std::vector<InputRange> ranges_of(const std::vector<IntegerRange>& wanted, size_t inputs) {
  const ir::Function& function = current_function();
  std::vector<InputRange> ranges;
  for (const IntegerRange& one : wanted) {
    const std::optional<InputRange> range = range_of_input(function, one);
    if (range && range->input < inputs) ranges.push_back(*range);
  }
  return ranges;
}

bool loss_is_one_number(const ModelState& model, const std::vector<Tensor>& labels,
                        const StepOutputs& predicted) {
  const size_t outputs = predicted.outputs.size();
  const Compiled& compiled = model.compiled();
  for (size_t i = 0; i < outputs && !labels.empty(); ++i) {
    const LossFunction* loss = compiled.loss_of(i);
    if (loss == nullptr) continue;
    const Tensor& y_true = labels.at(compiled.place_of_labels(i));
    if (loss->values(y_true, predicted.outputs[i].values).rank() == 0) return true;
  }
  return false;
}

bool reads(const ir::Op& op, ir::ValueId value) {
  if (std::find(op.operands.begin(), op.operands.end(), value) != op.operands.end()) return true;
  return std::any_of(op.regions.begin(), op.regions.end(), [&](const ir::Block& block) {
    return std::any_of(block.ops.begin(), block.ops.end(),
                       [&](const ir::Op& inner) { return reads(inner, value); });
  });
}

// Whether an update computes anything from the samples' weights.
bool update_reads_weight(const Metric& metric, const Compared& rows) {
  const size_t before = current_function().body.ops.size();
  metric.update_nothing(rows);
  const std::vector<ir::Op>& ops = current_function().body.ops;
  return std::any_of(ops.begin() + static_cast<std::ptrdiff_t>(before), ops.end(),
                     [&](const ir::Op& op) { return reads(op, rows.weight->state()->value); });
}

bool counts_without_weight(const ModelState& model, const OutputMetric& one,
                           const std::vector<Tensor>& labels, const StepOutputs& predicted) {
  const std::optional<bool> declared = one.metric.uses_sample_weight();
  if (declared) return !*declared;
  if (one.output >= predicted.outputs.size() || labels.empty()) return false;
  const Compared rows = compared_by(model, one, labels, predicted);
  bool reads_weight = true;
  within_metric(one.metric, [&] { reads_weight = update_reads_weight(one.metric, rows); });
  return !reads_weight;
}

}  // namespace

Probed probe(const ModelState& model, const std::vector<ir::Type>& inputs,
             const std::vector<ir::Type>& labels, ProbeOptions options) {
  std::vector<ir::Type> types = inputs;
  types.insert(types.end(), labels.begin(), labels.end());
  if (options.metrics) types.push_back({DType::pred, {inputs.front().shape[0]}});
  const auto count = static_cast<std::ptrdiff_t>(inputs.size());
  Probed found;
  const ReplicaContextScope context({.replicas = model.cores(), .per_core = false});
  trace_and_forget(types, [&](const std::vector<Tensor>& tensors) {
    const auto end_of_labels = tensors.begin() + count + static_cast<std::ptrdiff_t>(labels.size());
    StepTensors step{.inputs = {tensors.begin(), tensors.begin() + count},
                     .labels = {tensors.begin() + count, end_of_labels},
                     .weights = {},
                     .mask = {}};
    if (options.metrics) step.mask = tensors.back();
    std::vector<IntegerRange> wanted;
    const StepOutputs predicted = call_network(model, step, options.training, &wanted);
    found.ranges = ranges_of(wanted, inputs.size());
    if (options.losses)
      found.loss_is_one_number = loss_is_one_number(model, step.labels, predicted);
    // One number under a mask is an error; labels that do not fit are a loss's to refuse.
    if (options.metrics && !found.loss_is_one_number) compute_losses(model, step.labels, predicted);
    for (size_t i = 0; options.metrics && i < model.compiled().metrics.size(); ++i) {
      found.metrics_without_weights.push_back(
          counts_without_weight(model, model.compiled().metrics[i], step.labels, predicted));
    }
    return std::vector<Tensor>{};
  });
  return found;
}

}  // namespace systolic::inline v0
