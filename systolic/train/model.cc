#include "systolic/train/model.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/distribute/strategy.h"
#include "systolic/train/fit_loop.h"
#include "systolic/train/model_state.h"
#include "systolic/train/summary.h"
#include "systolic/train/terminal.h"

namespace systolic::inline v0 {
namespace {

std::shared_ptr<ModelState> make_state(Network network) {
  auto state = std::make_shared<ModelState>(std::move(network));
  state->replicas = get_strategy().num_replicas_in_sync();
  state->strategy = get_strategy().name();
  return state;
}

// The terminal's, as far as lines are pleasant to read; Keras's 88 in a file.
int summary_width() {
  constexpr int widest = 108, in_a_file = 88;
  const int columns = terminal_columns();
  return columns > 0 ? std::min(columns, widest) : in_a_file;
}

void want_equal_rows(const Literal& x, const Literal& y, SourceLocation location) {
  if (x.rank() > 0 && y.rank() > 0 && x.shape()[0] == y.shape()[0]) return;
  raise<InvalidArgument>({.what = str("x of shape ", x.shape(), " and y of shape ", y.shape()),
                          .wanted = "arrays whose first axis is the samples, with equally many",
                          .location = location});
}

Literal rows_between(const Literal& literal, int64_t begin, int64_t end) {
  Shape shape = literal.shape();
  shape.set(0, end - begin);
  Literal result(literal.dtype(), shape);
  const size_t row =
      literal.shape()[0] == 0 ? 0 : literal.byte_size() / static_cast<size_t>(literal.shape()[0]);
  const std::byte* from = literal.raw() + row * static_cast<size_t>(begin);
  std::copy(from, from + result.byte_size(), result.mutable_raw());
  return result;
}

data::Dataset batches_of(const Literal& x, const Literal& y, int64_t batch_size, bool shuffle) {
  data::Dataset rows = data::from_tensor_slices(std::pair(x, y));
  if (shuffle) rows = rows.shuffle(x.shape()[0]);
  return rows.batch(batch_size).prefetch(2);
}

}  // namespace

Model::Model(Network network) : state_(make_state(std::move(network))) {}
Model::Model(const Symbol& input, const Symbol& output, NetworkOptions options,
             SourceLocation location)
    : Model(Network(input, output, std::move(options), location)) {}
Model::Model(const std::vector<Symbol>& inputs, const std::vector<Symbol>& outputs,
             NetworkOptions options, SourceLocation location)
    : Model(Network(inputs, outputs, std::move(options), location)) {}

void Model::compile(CompileOptions options, SourceLocation location) {
  if (options.steps_per_execution < 1) {
    raise<InvalidArgument>({.what = str("steps_per_execution = ", options.steps_per_execution),
                            .wanted = "1 or more",
                            .location = location});
  }
  state_->optimizer = options.optimizer;
  state_->losses = options.loss.get();
  state_->loss_weights = std::move(options.loss_weights);
  state_->metrics.clear();
  for (const Metric& metric : options.metrics) state_->metrics.push_back({metric});
  for (size_t i = 0; i < options.output_metrics.size(); ++i) {
    for (const Metric& metric : options.output_metrics[i]) {
      state_->metrics.push_back({metric, i, true});
    }
  }
  for (const Metric& metric : options.weighted_metrics) {
    state_->metrics.push_back({.metric = metric, .weighted = true});
  }
  state_->steps_per_execution = options.steps_per_execution;
  state_->loss_metric = Mean{.name = "loss"};
  state_->programs.clear();
  state_->results_program.reset();
}

History Model::fit(const data::Dataset& dataset, const FitOptions& options,
                   SourceLocation location) {
  return run_fit(*this, dataset, options, location);
}

History Model::fit(const Literal& x, const Literal& y, const FitOptions& options,
                   SourceLocation location) {
  want_equal_rows(x, y, location);
  if (!(options.validation_split >= 0 && options.validation_split < 1)) {
    raise<InvalidArgument>({.what = str("validation_split = ", options.validation_split),
                            .wanted = "a share in [0, 1)",
                            .location = location});
  }
  const int64_t rows = x.shape()[0];
  const auto held_back =
      static_cast<int64_t>(std::floor(static_cast<double>(rows) * options.validation_split));
  FitOptions with_validation = options;
  if (held_back > 0) {
    with_validation.validation_data =
        batches_of(rows_between(x, rows - held_back, rows), rows_between(y, rows - held_back, rows),
                   options.batch_size, false);
  }
  const Literal& train_x = held_back > 0 ? rows_between(x, 0, rows - held_back) : x;
  const Literal& train_y = held_back > 0 ? rows_between(y, 0, rows - held_back) : y;
  return fit(batches_of(train_x, train_y, options.batch_size, options.shuffle), with_validation,
             location);
}

Evaluation Model::evaluate(const data::Dataset& dataset, const EvaluateOptions& options,
                           SourceLocation location) {
  return run_evaluate(*this, dataset, options, location);
}

Evaluation Model::evaluate(const Literal& x, const Literal& y, const EvaluateOptions& options,
                           SourceLocation location) {
  want_equal_rows(x, y, location);
  return evaluate(batches_of(x, y, options.batch_size, false), options, location);
}

double Evaluation::operator[](std::string_view name) const {
  const double value = log_value(logs, name);
  for (const auto& [known, unused] : logs) {
    if (known == name) return value;
  }
  std::vector<std::string> names;
  for (const auto& [known, unused] : logs) names.push_back(known);
  raise<NotFound>(
      {.what = str("evaluate gave no '", name, "'"), .wanted = str("one of: ", join(names))});
}

Literal Model::predict(const data::Dataset& dataset, const PredictOptions& options,
                       SourceLocation location) const {
  return run_predict(*this, dataset, options, location);
}

Literal Model::predict(const Literal& x, const PredictOptions& options,
                       SourceLocation location) const {
  return predict(data::from_tensor_slices(x).batch(options.batch_size), options, location);
}

Tensor Model::operator()(const Tensor& x, CallOptions options) const {
  return state_->network(x, std::move(options));
}
Tensor Model::operator()(const std::vector<Tensor>& xs, CallOptions options) const {
  return state_->network(xs, std::move(options));
}
Model::operator Layer() const { return state_->network; }

std::string Model::summary_text(int width) const {
  SummaryCounts counts;
  if (state_->optimizer) {
    for (const Variable& variable : state_->optimizer->variables()) {
      counts.optimizer_parameters += variable.size();
      counts.optimizer_bytes += variable.size() * byte_width(variable.dtype());
    }
  }
  return summary_table(state_->network, counts, width == 0 ? summary_width() : width);
}
void Model::summary() const { std::cout << summary_text() << std::flush; }

const Network& Model::network() const { return state_->network; }
const std::string& Model::name() const { return state_->network.name(); }
std::vector<Variable> Model::weights() const { return state_->network.weights(); }
std::vector<Variable> Model::trainable_variables() const {
  return state_->network.trainable_variables();
}
std::vector<Variable> Model::non_trainable_variables() const {
  return state_->network.non_trainable_variables();
}

int64_t Model::count_params() const {
  int64_t count = 0;
  for (const Variable& variable : weights()) count += variable.size();
  return count;
}

std::vector<Literal> Model::get_weights() const {
  std::vector<Literal> values;
  for (const Variable& variable : weights()) values.push_back(variable.literal());
  return values;
}

void Model::set_weights(const std::vector<Literal>& values) {
  const std::vector<Variable> variables = weights();
  if (values.size() != variables.size()) {
    raise<InvalidArgument>({.what = str("set_weights with ", values.size(), " arrays"),
                            .wanted = str(variables.size(), ", as get_weights gives them")});
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].shape() == variables[i].shape()) continue;
    raise<InvalidArgument>({.what = str("set_weights: array ", i, " for '", variables[i].name(),
                                        "' has shape ", values[i].shape()),
                            .wanted = str(variables[i].shape())});
  }
  for (size_t i = 0; i < values.size(); ++i) variables[i].set(values[i]);
}

Model Model::clone() const {
  auto state = std::make_shared<ModelState>(state_->network.clone());
  state->replicas = state_->replicas;
  state->strategy = state_->strategy;
  return Model(std::move(state));
}

Optimizer& Model::optimizer() const {
  if (!state_->optimizer)
    raise<FailedPrecondition>({.what = "the model is not compiled: it has no optimizer"});
  return *state_->optimizer;
}

Logs Model::current_logs() const { return read_logs(*state_); }
void Model::reset_metrics() { reset_logs(*state_); }
void Model::stop_training() { state_->stop_training = true; }
int64_t Model::num_replicas() const { return state_->replicas; }

}  // namespace systolic::inline v0
