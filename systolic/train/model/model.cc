#include "systolic/train/model/model.h"

#include <algorithm>
#include <iostream>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/terminal.h"
#include "systolic/distribute/strategy.h"
#include "systolic/nn/layer_state.h"
#include "systolic/train/batches/array_data.h"
#include "systolic/train/loops/evaluate_loop.h"
#include "systolic/train/loops/fit/run_fit.h"
#include "systolic/train/model/summary.h"
#include "systolic/train/options/array_options.h"
#include "systolic/train/state/check_compiled.h"
#include "systolic/train/state/model_state.h"
#include "systolic/train/step/step_logs.h"

namespace systolic::inline v0 {
namespace {

std::shared_ptr<ModelState> make_state(Network network) {
  warn_of_a_scope_elsewhere("a model");
  return std::make_shared<ModelState>(std::move(network), get_strategy().num_replicas_in_sync());
}

Network network_of(const Layer& layer, const std::vector<Input>& inputs, SourceLocation location) {
  if (inputs.empty()) return {std::vector<Layer>{layer}, {}, location};
  std::vector<Symbol> symbols;
  for (const Input& one : inputs) {
    symbols.push_back(input({.shape = one.shape.get(),
                             .dtype = one.dtype,
                             .name = one.name,
                             .batch_size = one.batch_size},
                            one.location));
  }
  return {symbols, layer.outputs(symbols, location), {}, location};
}

// The terminal's, as far as lines are pleasant to read; Keras's 88 in a file.
int summary_width() {
  constexpr int widest = 108, in_a_file = 88;
  const int columns = terminal_columns();
  return columns > 0 ? std::min(columns, widest) : in_a_file;
}

}  // namespace

Model::Model(Network network) : state_(make_state(std::move(network))) {}
Model::Model(const Symbol& input, const Symbol& output, NetworkOptions options,
             SourceLocation location)
    : Model(Network(input, output, std::move(options), location)) {}
Model::Model(const std::vector<Symbol>& inputs, const std::vector<Symbol>& outputs,
             NetworkOptions options, SourceLocation location)
    : Model(Network(inputs, outputs, std::move(options), location)) {}
Model::Model(const std::vector<Symbol>& inputs, const Symbol& output, NetworkOptions options,
             SourceLocation location)
    : Model(Network(inputs, output, std::move(options), location)) {}
Model::Model(const Symbol& input, const std::vector<Symbol>& outputs, NetworkOptions options,
             SourceLocation location)
    : Model(Network(input, outputs, std::move(options), location)) {}

Model::Model(OwnSteps steps, const Layer& layer, const std::vector<Input>& inputs,
             SourceLocation location)
    : Model(network_of(layer, inputs, location)) {
  state_->bring_steps(std::move(steps));
}

History Model::fit(const data::Dataset& dataset, const FitOptions& options,
                   SourceLocation location) {
  check_no_array_options("fit", options, location);
  if (options.validation_split != 0) {
    raise_arrays_only("fit", "validation_split",
                      "fit(dataset.skip(n), {.validation_data = dataset.take(n)})", location);
  }
  return run_fit(*this, state_, dataset, options, location);
}

History Model::fit(const ModelArrays& x, const ModelArrays& y, const FitOptions& options,
                   SourceLocation location) {
  check_compiled(*state_, "fit", location);
  ArrayData data("fit", *state_, x, y, options.sample_weight, location);
  const int64_t size = options.batch_size.value_or(default_batch_size);
  FitOptions with_validation = options;
  if (options.validation_split != 0 && !options.validation_data) {
    auto [training, held_back] = data.split(options.validation_split);
    data = std::move(training);
    with_validation.validation_data =
        held_back.batches(options.validation_batch_size.value_or(size));
  }
  data::Dataset batches = data.batches(size, options.shuffle);
  if (options.steps_per_epoch > 0) batches = batches.repeat();
  return run_fit(*this, state_, batches, with_validation, location);
}

Evaluation Model::evaluate(const data::Dataset& dataset, const EvaluateOptions& options,
                           SourceLocation location) {
  check_no_array_options("evaluate", options, location);
  return run_evaluate(*this, state_, dataset, options, location);
}

Evaluation Model::evaluate(const ModelArrays& x, const ModelArrays& y,
                           const EvaluateOptions& options, SourceLocation location) {
  check_compiled(*state_, "evaluate", location);
  const ArrayData data("evaluate", *state_, x, y, options.sample_weight, location);
  return run_evaluate(*this, state_, data.batches(options.batch_size.value_or(default_batch_size)),
                      options, location);
}

Model::operator Layer() const { return state_->network(); }

std::string Model::summary_text(const SummaryOptions& options, SourceLocation location) const {
  SummaryCounts counts;
  if (state_->compiled().optimizer) {
    for (const Variable& variable : state_->compiled().optimizer->variables()) {
      counts.optimizer_parameters += variable.size();
      counts.optimizer_bytes += variable.size() * byte_width(variable.dtype());
    }
  }
  SummaryOptions shown = options;
  if (shown.width == 0) shown.width = summary_width();
  return summary_table(state_->network(), counts, shown, location);
}
std::string Model::summary_text(int width) const { return summary_text({.width = width}); }
void Model::summary() const { summary({}); }
void Model::summary(const SummaryOptions& options, SourceLocation location) const {
  std::cout << summary_text(options, location) << std::flush;
}

std::vector<Layer> Model::layers() const { return network().layers(); }
Layer Model::get_layer(std::string_view name, SourceLocation location) const {
  return network().layer(name, location);
}
Layer Model::get_layer(int64_t index, SourceLocation location) const {
  const std::vector<Layer> all = layers();
  const auto count = static_cast<int64_t>(all.size());
  const int64_t place = index < 0 ? index + count : index;
  if (place >= 0 && place < count) return all[static_cast<size_t>(place)];
  raise<NotFound>(
      {.what = str("layer ", index, " of a model of ", count, " layers"), .location = location});
}

const Network& Model::network() const { return state_->network(); }
const std::string& Model::name() const { return state_->network().name(); }
std::vector<Variable> Model::weights() const { return state_->network().weights(); }
std::vector<Variable> Model::trainable_variables() const {
  return state_->network().trainable_variables();
}
std::vector<Variable> Model::non_trainable_variables() const {
  return state_->network().non_trainable_variables();
}

Model Model::clone() const {
  Model copy(
      std::make_shared<ModelState>(state_->network().clone(), state_->cores(), state_->own_loss()));
  copy.state_->bring_steps(state_->own_steps());
  return copy;
}

Optimizer& Model::optimizer() const {
  if (!state_->compiled().optimizer)
    raise<FailedPrecondition>({.what = "the model is not compiled: it has no optimizer"});
  return state_->optimizer();
}

Logs Model::current_logs() const { return read_logs(*state_); }
void Model::reset_metrics() { reset_logs(*state_); }
void Model::stop_training() { state_->run().stop(); }
Variable Model::random_state() const { return random_state_of(*state_->network().state()); }

std::string Model::input_state(SourceLocation location) const {
  if (const auto& answer = state_->run().input_state()) return answer();
  raise<FailedPrecondition>({.what = "input_state() outside of a fit with a callback that wants it",
                             .hint = "ask in a callback whose wants_input_state() returns true",
                             .location = location});
}
int64_t Model::num_replicas() const { return state_->cores(); }

}  // namespace systolic::inline v0
