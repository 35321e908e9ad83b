#include "systolic/train/step/build_for_rules.h"

#include <algorithm>
#include <utility>

#include "systolic/train/state/model_view.h"
#include "systolic/train/step/declared_input_ranges.h"
#include "systolic/train/step/probe.h"

namespace systolic::inline v0 {
namespace {

// Which labels the loss of output `i`, of that shape, takes.
LabelRange label_range(const ModelState& model, size_t i, const Shape& output) {
  const LossFunction* loss = model.compiled().loss_of(i);
  if (loss == nullptr) return {};
  if (loss->labels_are_probabilities())
    return {.probabilities = true, .hint = model.own_loss().hint_for_labels};
  const std::optional<ClassLabels> labels = loss->class_labels();
  if (labels && !labels->checked) return {};
  const int axis = labels ? labels->axis + (labels->axis < 0 ? output.rank() : 0) : -1;
  if (axis < 0 || axis >= output.rank()) return {};
  return {.classes = output[axis],
          .shape = labels->any_length ? Shape{output[0], -1} : output.without(axis),
          .ignored = labels->ignored,
          .places = labels->places,
          .hint = model.own_loss().hint_for_labels};
}

void build(const ModelState& model, const std::vector<ir::Type>& inputs) {
  if (model.network().built()) return;
  std::vector<SymbolType> types;
  for (const ir::Type& input : inputs) {
    Shape shape = input.shape;
    shape.set(0, -1);
    types.push_back({input.dtype, shape});
  }
  model.network().build(types);
}

bool has_own_function(const ModelState& model) {
  return std::any_of(model.compiled().losses.begin(), model.compiled().losses.end(),
                     [](const auto& loss) { return loss && loss->is_function(); });
}

bool has_joining_loss(const ModelState& model) {
  return std::any_of(model.compiled().losses.begin(), model.compiled().losses.end(),
                     [](const auto& loss) { return loss && loss->joins_rows(); });
}

bool all_declare_their_weights(const ModelState& model) {
  return std::all_of(
      model.compiled().metrics.begin(), model.compiled().metrics.end(),
      [](const OutputMetric& one) { return one.metric.uses_sample_weight().has_value(); });
}

std::vector<bool> declared_without_weights(const ModelState& model) {
  std::vector<bool> result;
  for (const OutputMetric& one : model.compiled().metrics)
    result.push_back(one.metric.uses_sample_weight() == false);
  return result;
}

// Whether only a call that trains can show if a layer adds a loss of all rows. Op by op, layers may
// read values, which there are none of yet: the step itself looks.
bool may_add_batch_loss(const ModelState& model) {
  const std::optional<LayerTraits> traits = model.network().traits();
  if (model.compiled().run_eagerly || (traits && !traits->adds_batch_loss)) return false;
  return !model.programs().has(StepKind::train);
}

std::string key_of_rows(const std::vector<ir::Type>& inputs) {
  std::string key;
  for (const ir::Type& input : inputs)
    key += str(to_string(ir::Type{input.dtype, input.shape.without(0)}), " ");
  return key;
}

// What layers look up of the inputs as they come, found once for rows of these types.
std::vector<InputRange> input_ranges(ModelState& model, const std::vector<ir::Type>& inputs) {
  const ModelView held(model);
  return model.input_ranges(key_of_rows(inputs), [&] {
    const auto declared = declared_input_ranges(model.network(), inputs);
    return declared ? *declared : probe(model, inputs, {}, {}).ranges;
  });
}

PaddingRules padding_rules(ModelState& model, StepKind kind, const std::vector<ir::Type>& inputs,
                           const std::vector<ir::Type>& labels) {
  const ModelView held(model);
  if (model.compiled().own_step(kind) != nullptr)
    return {.why_not = "the step is the program's own", .rows_apart = true};
  const bool trains = kind == StepKind::train;
  const ProbeOptions unknown{.training = trains && may_add_batch_loss(model),
                             .losses = has_own_function(model),
                             // Op by op no batch that is learnt from keeps its padding.
                             .metrics = !model.compiled().run_eagerly &&
                                        !model.compiled().metrics_without_weights &&
                                        !all_declare_their_weights(model)};
  Probed probed;
  if (unknown.training || unknown.losses || unknown.metrics) {
    probed = probe(model, inputs, labels, unknown);
    model.note_input_ranges(key_of_rows(inputs), probed.ranges);
  }
  if (!model.compiled().run_eagerly && !model.compiled().metrics_without_weights) {
    model.note_metrics_without_weights(unknown.metrics ? std::move(probed.metrics_without_weights)
                                                       : declared_without_weights(model));
  }
  PaddingRules rules{.rows_apart = model.compiled().cuts_batches_for_metrics()};
  const std::string layer = model.network().batch_loss_layer(trains);
  if (!layer.empty()) {
    rules.why_not = str("layer '", layer,
                        "' adds a loss or a metric without leaving them out by its sample_mask");
  } else if (probed.loss_is_one_number) {
    rules.why_not = "the loss is one number for the whole batch";
  } else if (has_joining_loss(model)) {
    rules.why_not = "the loss of a row depends on the others of its batch";
  }
  return rules;
}

}  // namespace

StepRules build_for_rules(ModelState& model, StepKind kind, const std::vector<ir::Type>& inputs) {
  const ModelView held(model);
  build(model, inputs);
  StepRules rules;
  rules.input_ranges = [&model](const std::vector<ir::Type>& types) {
    return input_ranges(model, types);
  };
  const auto outputs = model.network().output_ports();
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!model.compiled().takes_labels(i)) {
      rules.outputs.without_labels.push_back(outputs[i].name);
      continue;
    }
    rules.outputs.outputs.push_back(outputs[i].name);
    rules.labels.push_back(label_range(model, i, outputs[i].type.shape));
  }
  rules.outputs.labels = model.own_loss().label_names;
  if (model.compiled().takes_own_loss)
    rules.outputs.hint_without_labels = model.own_loss().hint_without_labels;
  if (kind == StepKind::predict) return rules;
  rules.padding = [&model, kind](const std::vector<ir::Type>& inputs,
                                 const std::vector<ir::Type>& labels) {
    return padding_rules(model, kind, inputs, labels);
  };
  return rules;
}

}  // namespace systolic::inline v0
