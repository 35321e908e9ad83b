// A metric: a known name or one of the objects beside this file, with its totals on the device. A
// handle: copies are the same metric.
//
//   Metric accuracy = SparseCategoricalAccuracy{.name = "training_accuracy"};
//   accuracy.update_state(labels, logits);          // in a traced step, or by itself
//   float value = accuracy.result().item<float>();
//   accuracy.reset_state();
//
// A loss object is a metric as well: the mean of its values over the samples, under the loss's name
// (keras.metrics.MeanSquaredError and its like): .metrics = {MeanSquaredError{}, "mae"}.
//
// "accuracy" is binary accuracy for predictions [..., 1], sparse categorical accuracy for integer
// labels, else categorical accuracy, as in Keras.
//
// Totals are over all samples of all cores: the number of cores never changes a metric.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "systolic/nn/config/choice.h"
#include "systolic/nn/config/rule.h"
#include "systolic/nn/losses/loss_function.h"
#include "systolic/nn/metrics/metric_state.h"
#include "systolic/nn/predictions.h"

// What a metric may be called, and the class that the name stands for, with its defaults.
// clang-format off
#define SYSTOLIC_METRICS(named)                                             \
  named("accuracy", AccuracyByShape)                                        \
  named("acc", AccuracyByShape)                                             \
  named("categorical_accuracy", CategoricalAccuracy)                        \
  named("sparse_categorical_accuracy", SparseCategoricalAccuracy)           \
  named("binary_accuracy", BinaryAccuracy)                                  \
  named("top_k_categorical_accuracy", TopKCategoricalAccuracy)              \
  named("sparse_top_k_categorical_accuracy", SparseTopKCategoricalAccuracy) \
  named("auc", AUC)                                                         \
  named("precision", Precision)                                             \
  named("recall", Recall)                                                   \
  named("mean_squared_error", MeanSquaredError)                             \
  named("mse", MeanSquaredError)                                            \
  named("mean_absolute_error", MeanAbsoluteError)                           \
  named("mae", MeanAbsoluteError)                                           \
  named("root_mean_squared_error", RootMeanSquaredError)                    \
  named("binary_crossentropy", BinaryCrossentropy)                          \
  named("categorical_crossentropy", CategoricalCrossentropy)                \
  named("sparse_categorical_crossentropy", SparseCategoricalCrossentropy)   \
  named("kl_divergence", KLDivergence)                                      \
  named("mean", Mean)                                                       \
  named("sum", Sum)                                                         \
  named("bce", BinaryCrossentropy)                                          \
  named("BCE", BinaryCrossentropy)                                          \
  named("KLD", KLDivergence)                                                \
  named("MAE", MeanAbsoluteError)                                           \
  named("MSE", MeanSquaredError)                                            \
  named("mean_absolute_percentage_error", MeanAbsolutePercentageError)      \
  named("mape", MeanAbsolutePercentageError)                                \
  named("MAPE", MeanAbsolutePercentageError)                                \
  named("mean_squared_logarithmic_error", MeanSquaredLogarithmicError)      \
  named("msle", MeanSquaredLogarithmicError)                                \
  named("MSLE", MeanSquaredLogarithmicError)                                \
  named("hinge", Hinge)                                                     \
  named("squared_hinge", SquaredHinge)                                      \
  named("categorical_hinge", CategoricalHinge)                              \
  named("poisson", Poisson)                                                 \
  named("cosine_similarity", CosineSimilarity)                              \
  named("log_cosh_error", LogCoshError)                                     \
  named("r2_score", R2Score)                                                \
  named("pearson_correlation", PearsonCorrelation)                          \
  named("concordance_correlation", ConcordanceCorrelation)                  \
  named("true_positives", TruePositives)                                    \
  named("false_positives", FalsePositives)                                  \
  named("true_negatives", TrueNegatives)                                    \
  named("false_negatives", FalseNegatives)                                  \
  named("binary_iou", BinaryIoU)
// clang-format on

namespace systolic::inline v0 {

// The names that a Metric takes, each with the object that it stands for, with that object's
// defaults.
struct MetricNames {
  SYSTOLIC_NAMES_OF("metric", SYSTOLIC_METRICS)
};

struct MetricOptions {
  std::optional<Tensor> sample_weight = {};  // [batch] or the shape of the values
};

// A metric object has `name`, perhaps `DType dtype` (of its totals: f32 or f64), perhaps `static
// constexpr bool larger_is_better` (what EarlyStopping and its like watch it for), `Tensor
// result(MetricState&) const` and one of
//   void update(MetricState&, y_true, y_pred, const MetricOptions&) const
//   void update(MetricState&, values, const MetricOptions&) const
// options.sample_weight, where it is given, is what each example counts: 0 for rows that only pad a
// batch, for masked steps and for labels that do not count. `static constexpr bool
// uses_sample_weight = true` says that update counts by it; where a metric says nothing, fit calls
// it once on a trace that is thrown away to see. A metric that does not use it is given the real
// rows of a smaller last batch alone, of which each number makes another program.
// y_true comes with y_pred's rank where the two differ by a last axis of size 1, so that (n,)
// beside (n, 1) is not broadcast to (n, n); `static constexpr bool takes_class_labels = true` says
// that labels are class numbers, which are left as they are.
template <class Spec>
concept ComparingMetric = requires(const Spec& spec, MetricState& state, const Tensor& y,
                                   const MetricOptions& options) {
  spec.update(state, y, y, options);
};
// A metric object that is updated with values alone, such as Mean.
template <class Spec>
concept ValueMetric = requires(const Spec& spec, MetricState& state, const Tensor& values,
                               const MetricOptions& options) {
  spec.update(state, values, options);
};
// What a Metric can be made from: an object of either kind, with a result and a name.
template <class Spec>
concept MetricSpec = (ComparingMetric<Spec> || ValueMetric<Spec>)&&requires(const Spec& spec,
                                                                            MetricState& state) {
  { spec.result(state) } -> std::convertible_to<Tensor>;
  { spec.name } -> std::convertible_to<std::string>;
};

// What Metric keeps of a metric, whatever it was written as.
struct MetricRule {
  std::string name;
  DType dtype = DType::f32;  // of the totals
  // A function of the user's.
  bool is_function = false;
  // Where the metric says it.
  std::optional<bool> larger_is_better = {};
  // A metric that takes probabilities: whether it makes them of logits.
  std::optional<bool> from_logits = {};
  // Whether an update counts by options.sample_weight; nothing where the metric does not declare
  // it.
  std::optional<bool> uses_sample_weight = {};
  // Labels may be class numbers, whose shape is the predictions' without the classes.
  bool takes_class_labels = false;

  // One of the two is empty: the metric takes labels and predictions, or values alone.
  std::function<void(MetricState&, const Tensor& y_true, const Tensor& y_pred,
                     const MetricOptions&)>
      compare = {};
  std::function<void(MetricState&, const Tensor& values, const MetricOptions&)> add = {};
  std::function<Tensor(MetricState&)> result = {};
  // Unimplemented where the spec has no fields() and no config() of its own.
  std::function<Config()> config = {};
};

namespace internal {

template <MetricSpec Spec>
MetricRule metric_rule(Spec spec);

}  // namespace internal

class Metric {
 public:
  template <size_t n>
  consteval Metric(const char (&name)[n])  // NOLINT
      : position_(MetricNames::position({name, n - 1})) {}
  template <MetricSpec Spec>
  Metric(Spec spec) : Metric(internal::metric_rule(std::move(spec))) {}  // NOLINT
  template <LossSpec Spec>
  requires(!MetricSpec<Spec>) Metric(Spec loss)  // NOLINT
      : Metric(of_loss(std::move(loss))) {}
  // The mean of what a function gives for each example. Labels and predictions come in f32 and with
  // one rank, as they do to a loss.
  static Metric from_function(std::string name,
                              std::function<Tensor(const Tensor&, const Tensor&)> function);
  static Metric parse(std::string_view name, SourceLocation location = SourceLocation::current());
  Metric(const Metric& other) : position_(other.position_), shared_(other.handle()) {}
  Metric& operator=(const Metric& other) {
    position_ = other.position_;
    shared_ = other.handle();
    return *this;
  }

  std::string name() const { return rule().name; }
  // Its name where it was given by one, else {"class_name": "AUC", "config": {...}}, and back; a
  // loss as a metric has the loss's. A function of one's own has none: Unimplemented.
  Config get_config() const;
  static Metric from_config(const Config& config,
                            SourceLocation location = SourceLocation::current());
  bool is_function() const { return rule().is_function; }
  std::optional<bool> larger_is_better() const { return rule().larger_is_better; }
  std::optional<bool> from_logits() const { return rule().from_logits; }
  // Nothing where the metric does not declare it.
  std::optional<bool> uses_sample_weight() const { return rule().uses_sample_weight; }
  // An update that adds nothing to the totals: to see on a trace that is thrown away what it does.
  void update_nothing(const Compared& rows) const;
  // A scalar of the metric's dtype (or more, for metrics that give several).
  Tensor result() const;
  // Steps of y_pred that a layer masked (nn/step_mask.h) weigh nothing.
  void update_state(const Tensor& y_true, const Tensor& y_pred, MetricOptions options = {}) const;
  // As fit calls it: update_state(compared(y_true, predictions_of(y_pred))).
  void update_state(const Compared& rows) const;
  // What Mean and Sum take.
  void update_state(const Tensor& values, MetricOptions options = {}) const;
  void update_state(double value, MetricOptions options = {}) const;
  void reset_state() const;
  void reset_states() const { reset_state(); }  // its name in TensorFlow 2.0 to 2.4
  // The totals; none before the first update.
  std::vector<Variable> variables() const;
  friend std::shared_ptr<const void> trace_key(const Metric& metric) { return metric.handle(); }

 private:
  struct Shared {
    MetricRule rule;
    MetricState state;
  };
  Metric() = default;
  explicit Metric(MetricRule rule);
  static Metric of_loss(LossFunction loss);
  std::shared_ptr<Shared> handle() const;
  const MetricRule& rule() const { return handle()->rule; }

  int position_ = -1;  // in MetricNames, where it was given by name
  // Made at the first use where the metric was named: a literal is a constant of the compiler.
  mutable std::shared_ptr<Shared> shared_;
};

namespace internal {

template <MetricSpec Spec>
MetricRule metric_rule(Spec spec) {
  MetricRule rule{.name = spec.name};
  if constexpr (requires {
                  { spec.dtype } -> std::convertible_to<DType>;
                })
    rule.dtype = spec.dtype;
  if constexpr (requires { spec.is_function(); }) rule.is_function = spec.is_function();
  if constexpr (requires { spec.larger_is_better; }) rule.larger_is_better = spec.larger_is_better;
  if constexpr (requires { spec.from_logits; }) rule.from_logits = spec.from_logits;
  if constexpr (requires { spec.uses_sample_weight(); }) {
    rule.uses_sample_weight = spec.uses_sample_weight();
  } else if constexpr (requires {
                         { Spec::uses_sample_weight } -> std::convertible_to<bool>;
                       }) {
    rule.uses_sample_weight = Spec::uses_sample_weight;
  }
  if constexpr (requires { Spec::takes_class_labels; })
    rule.takes_class_labels = Spec::takes_class_labels;

  const auto kept = std::make_shared<const Spec>(std::move(spec));
  if constexpr (ComparingMetric<Spec>) {
    rule.compare = [kept](MetricState& state, const Tensor& y_true, const Tensor& y_pred,
                          const MetricOptions& options) {
      kept->update(state, y_true, y_pred, options);
    };
  }
  if constexpr (ValueMetric<Spec>) {
    rule.add = [kept](MetricState& state, const Tensor& values, const MetricOptions& options) {
      kept->update(state, values, options);
    };
  }
  rule.result = [kept](MetricState& state) { return kept->result(state); };
  rule.config = [kept] { return config_of_rule(*kept, "metric", kept->name); };
  return rule;
}

}  // namespace internal

}  // namespace systolic::inline v0
