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
#include "systolic/nn/losses/loss_function.h"
#include "systolic/nn/metrics/metric_state.h"
#include "systolic/nn/predictions.h"

namespace systolic::inline v0 {

struct MetricNames {
  SYSTOLIC_NAMES(throw "metric must be one of: accuracy acc categorical_accuracy sparse_categorical_accuracy binary_accuracy top_k_categorical_accuracy sparse_top_k_categorical_accuracy auc precision recall mean_squared_error mse mean_absolute_error mae root_mean_squared_error binary_crossentropy categorical_crossentropy sparse_categorical_crossentropy kl_divergence mean")  // NOLINT
};

struct MetricOptions {
  std::optional<Tensor> sample_weight = {};  // [batch] or the shape of the values
};

// A metric object has `name`, perhaps `DType dtype` (of its totals: f32 or f64), perhaps `static
// constexpr bool larger_is_better` (what EarlyStopping and its like watch it for), `Tensor
// result(MetricState&) const` and one of
//   void update(MetricState&, y_true, y_pred, const MetricOptions&) const
//   void update(MetricState&, values, const MetricOptions&) const
// What an example counts is options.sample_weight, where that is given: 0 for rows that only pad a
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
template <class Spec>
concept ValueMetric = requires(const Spec& spec, MetricState& state, const Tensor& values,
                               const MetricOptions& options) {
  spec.update(state, values, options);
};
template <class Spec>
concept MetricSpec = (ComparingMetric<Spec> || ValueMetric<Spec>)&&requires(const Spec& spec,
                                                                            MetricState& state) {
  { spec.result(state) } -> std::convertible_to<Tensor>;
  { spec.name } -> std::convertible_to<std::string>;
};

class AnyMetric {
 public:
  virtual ~AnyMetric() = default;
  virtual void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
                      const MetricOptions& options) const = 0;
  virtual void update(MetricState& state, const Tensor& values,
                      const MetricOptions& options) const = 0;
  virtual Tensor result(MetricState& state) const = 0;
  virtual std::string name() const = 0;
  // A function of the user's.
  virtual bool is_function() const { return false; }
  // Where the metric says it.
  virtual std::optional<bool> larger_is_better() const { return {}; }
  // Of metrics that take probabilities: whether they make them of logits.
  virtual std::optional<bool> from_logits() const { return {}; }
  // Whether an update counts by options.sample_weight; nothing where the metric does not declare
  // it.
  virtual std::optional<bool> uses_sample_weight() const { return {}; }
  // Unimplemented where the spec has no fields() and no config() of its own.
  virtual Config config() const = 0;
  // Labels may be class numbers, whose shape is the predictions' without the classes.
  virtual bool takes_class_labels() const { return false; }
};

class Metric {
 public:
  template <size_t n>
  consteval Metric(const char (&name)[n])  // NOLINT
      : position_(MetricNames::position({name, n - 1})) {}
  template <MetricSpec Spec>
  Metric(Spec spec);  // NOLINT
  template <LossSpec Spec>
  requires(!MetricSpec<Spec>) Metric(Spec loss)  // NOLINT
      : Metric(of_loss(std::move(loss))) {}
  // Of any function with one value for each example: the mean of the values. Labels and predictions
  // come in f32 and with one rank, as they do to a loss.
  static Metric from_function(std::string name,
                              std::function<Tensor(const Tensor&, const Tensor&)> function);
  static Metric parse(std::string_view name, SourceLocation location = SourceLocation::current());
  Metric(const Metric& other) : position_(other.position_), shared_(other.handle()) {}
  Metric& operator=(const Metric& other) {
    position_ = other.position_;
    shared_ = other.handle();
    return *this;
  }

  std::string name() const;
  // Its name where it was given by one, else {"class_name": "AUC", "config": {...}}, and back; a
  // loss as a metric has the loss's. A function of one's own has none: Unimplemented.
  Config get_config() const;
  static Metric from_config(const Config& config,
                            SourceLocation location = SourceLocation::current());
  bool is_function() const { return handle()->metric->is_function(); }
  std::optional<bool> larger_is_better() const { return handle()->metric->larger_is_better(); }
  std::optional<bool> from_logits() const { return handle()->metric->from_logits(); }
  // Nothing where the metric does not declare it.
  std::optional<bool> uses_sample_weight() const { return handle()->metric->uses_sample_weight(); }
  // An update that adds nothing to the totals: to see on a trace that is thrown away what it does.
  void update_nothing(const Compared& rows) const;
  // A scalar of the metric's dtype (or more, for metrics that give several).
  Tensor result() const;
  // Steps of y_pred that a layer masked (nn/step_mask.h) weigh nothing.
  void update_state(const Tensor& y_true, const Tensor& y_pred, MetricOptions options = {}) const;
  // As fit calls it: update_state(compared(y_true, predictions_of(y_pred))).
  void update_state(const Compared& rows) const;
  // Of Mean and Sum.
  void update_state(const Tensor& values, MetricOptions options = {}) const;
  void update_state(double value, MetricOptions options = {}) const;
  void reset_state() const;
  void reset_states() const { reset_state(); }  // its name in TensorFlow 2.0 to 2.4
  // The totals; none before the first update.
  std::vector<Variable> variables() const;
  friend std::shared_ptr<const void> trace_key(const Metric& metric) { return metric.handle(); }

 private:
  struct Shared {
    std::shared_ptr<const AnyMetric> metric;
    MetricState state;
  };
  Metric() = default;
  static Metric of_loss(LossFunction loss);
  std::shared_ptr<Shared> handle() const;

  int position_ = -1;
  // Made at the first use where the metric was named: a literal is a constant of the compiler.
  mutable std::shared_ptr<Shared> shared_;
};

namespace internal {

[[noreturn]] void raise_wrong_update(const std::string& name, bool takes_values);

template <MetricSpec Spec>
class MetricHolder : public AnyMetric {
 public:
  explicit MetricHolder(Spec spec) : spec_(std::move(spec)) {}
  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const override {
    if constexpr (ComparingMetric<Spec>) {
      spec_.update(state, y_true, y_pred, options);
    } else {
      raise_wrong_update(spec_.name, true);
    }
  }
  void update(MetricState& state, const Tensor& values,
              const MetricOptions& options) const override {
    if constexpr (ValueMetric<Spec>) {
      spec_.update(state, values, options);
    } else {
      raise_wrong_update(spec_.name, false);
    }
  }
  Tensor result(MetricState& state) const override { return spec_.result(state); }
  std::string name() const override { return spec_.name; }
  bool is_function() const override {
    if constexpr (requires { spec_.is_function(); }) return spec_.is_function();
    return false;
  }
  std::optional<bool> from_logits() const override {
    if constexpr (requires { spec_.from_logits; }) return spec_.from_logits;
    return {};
  }
  std::optional<bool> uses_sample_weight() const override {
    if constexpr (requires { spec_.uses_sample_weight(); }) {
      return spec_.uses_sample_weight();
    } else if constexpr (requires {
                           { Spec::uses_sample_weight } -> std::convertible_to<bool>;
                         }) {
      return Spec::uses_sample_weight;
    } else {
      return {};
    }
  }
  Config config() const override {
    if constexpr (requires {
                    { spec_.config() } -> std::convertible_to<Config>;
                  }) {
      return spec_.config();
    } else if constexpr (HasOwnFields<Spec>) {
      return config_of(spec_);
    } else {
      internal::raise_without_fields("metric", spec_.name);
    }
  }
  bool takes_class_labels() const override {
    if constexpr (requires { Spec::takes_class_labels; }) return Spec::takes_class_labels;
    return false;
  }
  std::optional<bool> larger_is_better() const override {
    if constexpr (requires { spec_.larger_is_better; }) return spec_.larger_is_better;
    return {};
  }

 private:
  Spec spec_;
};

template <class Spec>
DType metric_dtype(const Spec& spec) {
  if constexpr (requires {
                  { spec.dtype } -> std::convertible_to<DType>;
                })
    return spec.dtype;
  return DType::f32;
}

}  // namespace internal

template <MetricSpec Spec>
Metric::Metric(Spec spec)
    : shared_(std::make_shared<Shared>(
          Shared{std::make_shared<const internal::MetricHolder<Spec>>(spec),
                 MetricState(spec.name, internal::metric_dtype(spec))})) {}

}  // namespace systolic::inline v0
