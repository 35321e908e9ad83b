#include "systolic/train/step/step_rules.h"

#include <algorithm>
#include <utility>

#include "systolic/trace/program/scratch_trace.h"
#include "systolic/trace/replica_context.h"
#include "systolic/trace/tensor_state.h"
#include "systolic/trace/trace.h"
#include "systolic/train/step/step_computation.h"

namespace systolic::inline v0 {
namespace {

// Which labels the loss of output `i`, of that shape, takes.
LabelRange label_range(const ModelState& model, size_t i, const Shape& output) {
  const size_t which = model.losses.size() == 1 ? 0 : i;
  if (which >= model.losses.size()) return {};
  if (model.losses[which].labels_are_probabilities())
    return {.probabilities = true, .hint = model.own_loss.hint_for_labels};
  const std::optional<ClassLabels> labels = model.losses[which].class_labels();
  const int axis = labels ? labels->axis + (labels->axis < 0 ? output.rank() : 0) : -1;
  if (axis < 0 || axis >= output.rank()) return {};
  return {.classes = output[axis],
          .shape = output.without(axis),
          .ignored = labels->ignored,
          .places = labels->places,
          .hint = model.own_loss.hint_for_labels};
}

void build(const ModelState& model, const std::vector<ir::Type>& inputs) {
  if (model.network.built()) return;
  std::vector<SymbolType> types;
  for (const ir::Type& input : inputs) {
    Shape shape = input.shape;
    shape.set(0, -1);
    types.push_back({input.dtype, shape});
  }
  model.network.build(types);
}

bool has_own_function(const ModelState& model) {
  for (const LossFunction& loss : model.losses) {
    if (loss.is_function()) return true;
  }
  return false;
}

// True if a loss that is a function of the user's gives one number for a batch of these inputs and
// labels.
bool loss_is_one_number(const ModelState& model, const std::vector<ir::Type>& types) {
  const auto inputs = static_cast<std::ptrdiff_t>(model.network.input_ports().size());
  const ReplicaContextScope context({.replicas = model.cores, .per_core = false});
  const auto losses = infer_result_types(types, [&](const std::vector<Tensor>& tensors) {
    const std::vector<Tensor> predictions =
        model.network.outputs({tensors.begin(), tensors.begin() + inputs});
    std::vector<Tensor> results;
    for (size_t i = 0; i < predictions.size(); ++i) {
      const size_t which = model.losses.size() == 1 ? 0 : i;
      const size_t label = i + static_cast<size_t>(inputs);
      if (which < model.losses.size() && label < tensors.size())
        results.push_back(model.losses[which].values(tensors[label], predictions[i]));
    }
    return results;
  });
  for (const ir::Type& loss : losses) {
    if (loss.shape.rank() == 0) return true;
  }
  return false;
}

// Has the layers show whether they add a loss while they train, in a call whose ops are dropped,
// unless a training step has had them called already.
void call_in_training(const ModelState& model, const std::vector<ir::Type>& types) {
  const auto trains = [](const auto& program) { return program.second.kind == StepKind::train; };
  if (std::any_of(model.programs.begin(), model.programs.end(), trains)) return;
  const auto inputs = static_cast<std::ptrdiff_t>(model.network.input_ports().size());
  const ReplicaContextScope context({.replicas = model.cores, .per_core = false});
  infer_result_types({types.begin(), types.begin() + inputs},
                     [&](const std::vector<Tensor>& tensors) {
                       return model.network.outputs(tensors, {.training = true});
                     });
}

// Whether a metric has to be cut to the real rows of a batch. Found once: a trace of all the
// layers.
bool wants_rows_apart(ModelState& model, StepKind kind, const std::vector<ir::Type>& types) {
  // Op by op no batch that is learnt from keeps its padding.
  if (kind == StepKind::predict || model.run_eagerly) return false;
  const std::lock_guard lock(model.programs_mutex);
  if (model.metrics_without_weights) return model.cuts_batches_for_metrics();
  std::vector<bool> found;
  if (!model.metrics.empty()) {
    const auto inputs = static_cast<std::ptrdiff_t>(model.network.input_ports().size());
    std::vector<ir::Type> with_mask = types;
    with_mask.push_back({DType::pred, {types.front().shape[0]}});
    const ReplicaContextScope context({.replicas = model.cores, .per_core = false});
    infer_result_types(with_mask, [&](const std::vector<Tensor>& tensors) {
      const StepTensors step{.inputs = {tensors.begin(), tensors.begin() + inputs},
                             .labels = {tensors.begin() + inputs, tensors.end() - 1},
                             .weights = {},
                             .mask = tensors.back()};
      found = metrics_without_weights(model, step);
      return std::vector<Tensor>{};
    });
  }
  model.metrics_without_weights = std::move(found);
  return model.cuts_batches_for_metrics();
}

std::string why_not_padded(ModelState& model, StepKind kind, const std::vector<ir::Type>& types) {
  const std::lock_guard lock(model.programs_mutex);
  const bool trains = kind == StepKind::train;
  // Op by op, layers may read values, which there are none of yet: the step itself looks.
  if (trains && !model.run_eagerly) call_in_training(model, types);
  const std::string layer = model.network.batch_loss_layer(trains);
  if (!layer.empty())
    return str("layer '", layer, "' adds a loss without leaving them out by its sample_mask");
  if (has_own_function(model) && loss_is_one_number(model, types))
    return "the loss is one number for the whole batch";
  return {};
}

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

// What layers look up of the inputs as they come. Found once for shapes of one row: a trace of all
// the layers is longer than a small step.
std::vector<InputRange> input_ranges(ModelState& model, const std::vector<ir::Type>& inputs) {
  const std::lock_guard lock(model.programs_mutex);
  std::string key;
  for (const ir::Type& input : inputs)
    key += str(to_string(ir::Type{input.dtype, input.shape.without(0)}), " ");
  const auto known = model.input_ranges.find(key);
  if (known != model.input_ranges.end()) return known->second;
  const ReplicaContextScope context({.replicas = model.cores, .per_core = false});
  std::vector<InputRange> ranges;
  infer_result_types(inputs, [&](const std::vector<Tensor>& tensors) {
    std::vector<IntegerRange> wanted;
    model.network.outputs(tensors, {.integer_ranges = &wanted});
    const ir::Function& function = Trace::current().builder().function();
    for (const IntegerRange& one : wanted) {
      const std::optional<InputRange> range = range_of_input(function, one);
      if (range && range->input < tensors.size()) ranges.push_back(*range);
    }
    return std::vector<Tensor>{};
  });
  model.input_ranges[key] = ranges;
  return ranges;
}

}  // namespace

StepRules build_for_rules(ModelState& model, StepKind kind, const std::vector<ir::Type>& inputs) {
  const std::lock_guard lock(model.programs_mutex);
  build(model, inputs);
  StepRules rules;
  rules.input_ranges = [&model](const std::vector<ir::Type>& types) {
    return input_ranges(model, types);
  };
  const auto outputs = model.network.output_ports();
  for (size_t i = 0; i < outputs.size(); ++i) {
    rules.outputs.outputs.push_back(outputs[i].name);
    rules.labels.push_back(label_range(model, i, outputs[i].type.shape));
  }
  rules.outputs.labels = model.own_loss.label_names;
  if (model.takes_own_loss) rules.outputs.hint_without_labels = model.own_loss.hint_without_labels;
  if (kind == StepKind::predict) return rules;
  rules.why_not_padded = [&model, kind](const std::vector<ir::Type>& types) {
    return why_not_padded(model, kind, types);
  };
  rules.wants_rows_apart = [&model, kind](const std::vector<ir::Type>& types) {
    return wants_rows_apart(model, kind, types);
  };
  return rules;
}

}  // namespace systolic::inline v0
