#include "systolic/nn/embedding/tpu_embedding.h"

#include <deque>
#include <functional>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/nn/embedding/padded_ids.h"
#include "systolic/nn/initializers/host_random.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/variable_state.h"

namespace systolic::inline v0 {
namespace tpu::experimental::embedding {
namespace {

struct EnqueuedBatch {
  std::vector<FeatureInput> features;
  bool training = true;
  std::vector<Tensor> activations;  // of a pipeline: from when it was enqueued
};

Variable new_table(const TableConfig& table) {
  const Shape shape{table_rows(table.vocabulary_size), table.dim};
  const uint64_t seed = mixed_seed(next_seed(), table.name);
  Variable variable(DType::f32, shape,
                    [initial = table.initializer, shape, seed] { return initial(shape, seed); },
                    {.name = table.name});
  variable.state()->rows_over_cores = true;
  return variable;
}

[[noreturn]] void raise_out_of_turn(const char* what, const char* wanted, SourceLocation location) {
  raise<FailedPrecondition>({.what = what, .wanted = wanted, .location = location});
}

}  // namespace

struct TPUEmbedding::State {
  Tables tables;
  std::optional<EmbeddingOptimizer> optimizer;
  TPUEmbeddingOptions options;
  std::function<Example(const Example&)> pad;
  std::vector<Variable> variables;
  std::deque<EnqueuedBatch> waiting, dequeued;  // dequeued: training ones, without their gradients

  void build() {
    if (!variables.empty()) return;
    for (const TableConfig& table : tables.tables) {
      variables.push_back(new_table(table));
      const auto& rule = table.optimizer ? table.optimizer : optimizer;
      if (rule) {
        variables.back().state()->own_optimizer =
            std::make_shared<const Optimizer>(table_optimizer(*rule));
      }
    }
  }

  std::vector<Tensor> look_up(const std::vector<FeatureInput>& features) const {
    std::vector<Tensor> values, result;
    for (const Variable& variable : variables) values.push_back(variable.value());
    for (size_t i = 0; i < features.size(); ++i)
      result.push_back(activations(tables.features[i], values[tables.table_of[i]], features[i]));
    return result;
  }
};

TPUEmbedding::TPUEmbedding(const std::vector<FeatureConfig>& feature_config,
                           const std::optional<EmbeddingOptimizer>& optimizer,
                           TPUEmbeddingOptions options, SourceLocation location)
    : state_(std::make_shared<State>()) {
  state_->tables = tables_of(feature_config, location);
  state_->optimizer = optimizer;
  state_->options = options;
  state_->pad = padded_ids(feature_config, {}, location);
}

void TPUEmbedding::build() const { state_->build(); }
bool TPUEmbedding::built() const { return !state_->variables.empty(); }

void TPUEmbedding::enqueue(const Example& features, EnqueueOptions options,
                           SourceLocation location) const {
  // Padded already: ids and weights of two axes.
  bool padded = true;
  for (const FeatureConfig& feature : state_->tables.features) {
    const Literal* weights = features.find(feature.name + "_weights");
    padded = padded && (!feature.ragged || (weights != nullptr && weights->rank() == 2));
  }
  const Example batch = padded ? features : state_->pad(features);
  std::vector<FeatureInput> inputs;
  for (const FeatureConfig& feature : state_->tables.features) {
    FeatureInput input{.ids = Tensor(batch[feature.name]), .weights = {}};
    if (feature.ragged) input.weights = Tensor(batch[feature.name + "_weights"]);
    inputs.push_back(std::move(input));
  }
  enqueue(std::move(inputs), options, location);
}

void TPUEmbedding::enqueue(std::vector<FeatureInput> features, EnqueueOptions options,
                           SourceLocation location) const {
  if (features.size() != state_->tables.features.size()) {
    raise<InvalidArgument>({.what = str("enqueue of ", features.size(), " features"),
                            .wanted = str(state_->tables.features.size()),
                            .location = location});
  }
  state_->build();
  EnqueuedBatch batch{std::move(features), options.training, {}};
  if (state_->options.pipeline_execution_with_tensor_core)
    batch.activations = state_->look_up(batch.features);
  state_->waiting.push_back(std::move(batch));
}

std::vector<Tensor> TPUEmbedding::dequeue(SourceLocation location) const {
  if (state_->waiting.empty())
    raise_out_of_turn("dequeue, and no batch waits", "an enqueue before it", location);
  EnqueuedBatch batch = std::move(state_->waiting.front());
  state_->waiting.pop_front();
  std::vector<Tensor> result =
      batch.activations.empty() ? state_->look_up(batch.features) : std::move(batch.activations);
  batch.activations.clear();
  if (batch.training) state_->dequeued.push_back(std::move(batch));
  return result;
}

void TPUEmbedding::apply_gradients(const std::vector<Tensor>& gradients,
                                   SourceLocation location) const {
  State& state = *state_;
  if (state.dequeued.empty()) {
    raise_out_of_turn("apply_gradients, and no training batch was dequeued",
                      "one call for each training batch, after its dequeue", location);
  }
  GradientTape tape({}, location);
  const std::vector<Tensor> again = state.look_up(state.dequeued.front().features);
  if (gradients.size() != again.size()) {
    raise<InvalidArgument>({.what = str("apply_gradients of ", gradients.size(), " gradients"),
                            .wanted = str("one for each of ", again.size(), " features"),
                            .location = location});
  }
  std::vector<Tensor> terms;
  for (size_t i = 0; i < again.size(); ++i) {
    if (gradients[i].shape() != again[i].shape()) {
      raise<InvalidArgument>(
          {.what = str("the gradient of feature '", state.tables.features[i].name, "' has shape ",
                       gradients[i].shape()),
           .wanted = str(again[i].shape()),
           .location = location});
    }
    terms.push_back(sum(again[i] * gradients[i]));
  }
  Tensor target = terms.front();
  for (size_t i = 1; i < terms.size(); ++i) target = target + terms[i];
  const std::vector<Tensor> of_tables = tape.gradient(target, state.variables, location);
  for (size_t i = 0; i < state.variables.size(); ++i) {
    const auto& own = state.variables[i].state()->own_optimizer;
    if (!own) {
      raise<FailedPrecondition>(
          {.what = str("table '", state.variables[i].name(), "' has no optimizer"),
           .hint = "give one to TPUEmbedding or to the TableConfig",
           .location = location});
    }
    own->apply_gradients(std::vector{of_tables[i]}, std::vector{state.variables[i]}, location);
  }
  state.dequeued.pop_front();
}

std::vector<std::pair<std::string, Variable>> TPUEmbedding::embedding_tables() const {
  state_->build();
  std::vector<std::pair<std::string, Variable>> result;
  for (const Variable& variable : state_->variables) result.emplace_back(variable.name(), variable);
  return result;
}

std::vector<std::pair<std::string, Variable>> TPUEmbedding::named_variables() const {
  std::vector<std::pair<std::string, Variable>> result = embedding_tables();
  for (const Variable& variable : state_->variables) {
    const auto& own = variable.state()->own_optimizer;
    if (!own) continue;
    own->build({variable});
    for (const auto& [name, slot] : own->named_variables()) {
      const bool is_slot = name.starts_with(variable.name() + "/");
      result.emplace_back(is_slot ? name : str(variable.name(), "/", name), slot);
    }
  }
  return result;
}

TPUEmbeddingForServing::TPUEmbeddingForServing(const std::vector<FeatureConfig>& feature_config,
                                               SourceLocation location)
    : tables_(feature_config, {}, {}, location) {}

std::vector<Tensor> TPUEmbeddingForServing::embedding_lookup(const Example& features,
                                                             SourceLocation location) const {
  tables_.enqueue(features, {.training = false}, location);
  return tables_.dequeue(location);
}

}  // namespace tpu::experimental::embedding
}  // namespace systolic::inline v0
