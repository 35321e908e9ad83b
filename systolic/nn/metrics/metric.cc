#include "systolic/nn/metrics/metric.h"

#include <utility>

#include "systolic/base/error.h"
#include "systolic/nn/config/choice_rows.h"
#include "systolic/nn/losses/cosine_similarity.h"
#include "systolic/nn/losses/crossentropy/binary_crossentropy.h"
#include "systolic/nn/losses/crossentropy/categorical_crossentropy.h"
#include "systolic/nn/losses/crossentropy/sparse_categorical_crossentropy.h"
#include "systolic/nn/losses/hinge_losses.h"
#include "systolic/nn/losses/huber.h"
#include "systolic/nn/losses/kl_divergence.h"
#include "systolic/nn/losses/mean_absolute_error.h"
#include "systolic/nn/losses/mean_squared_error.h"
#include "systolic/nn/losses/regression_losses.h"
#include "systolic/nn/metrics/accuracy/accuracy.h"
#include "systolic/nn/metrics/accuracy/binary_accuracy.h"
#include "systolic/nn/metrics/accuracy/categorical_accuracy.h"
#include "systolic/nn/metrics/accuracy/sparse_categorical_accuracy.h"
#include "systolic/nn/metrics/accuracy/sparse_top_k_categorical_accuracy.h"
#include "systolic/nn/metrics/accuracy/top_k_categorical_accuracy.h"
#include "systolic/nn/metrics/confusion/auc.h"
#include "systolic/nn/metrics/confusion/condition_counts.h"
#include "systolic/nn/metrics/confusion/f1_score.h"
#include "systolic/nn/metrics/confusion/f_beta_score.h"
#include "systolic/nn/metrics/confusion/iou.h"
#include "systolic/nn/metrics/confusion/matthews_correlation.h"
#include "systolic/nn/metrics/confusion/precision.h"
#include "systolic/nn/metrics/confusion/rate_at_rate.h"
#include "systolic/nn/metrics/confusion/recall.h"
#include "systolic/nn/metrics/mean_state.h"
#include "systolic/nn/metrics/reduction/mean.h"
#include "systolic/nn/metrics/reduction/sum.h"
#include "systolic/nn/metrics/regression/correlations.h"
#include "systolic/nn/metrics/regression/log_cosh_error.h"
#include "systolic/nn/metrics/regression/r2_score.h"
#include "systolic/nn/metrics/regression/root_mean_squared_error.h"
#include "systolic/nn/same_rank.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

namespace {

// "accuracy": which one is known when labels and predictions are.
struct AccuracyByShape {
  static constexpr bool larger_is_better = true;
  static constexpr bool uses_sample_weight = true;
  static constexpr bool takes_class_labels = true;
  std::string name = "accuracy";
  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const {
    if (y_pred.rank() == 0 || y_pred.shape()[-1] == 1) {
      BinaryAccuracy{.name = name}.update(state, y_true, y_pred, options);
    } else if (y_true.rank() < y_pred.rank() || y_true.shape()[-1] == 1) {
      SparseCategoricalAccuracy{.name = name}.update(state, y_true, y_pred, options);
    } else {
      CategoricalAccuracy{.name = name}.update(state, y_true, y_pred, options);
    }
  }
  Tensor result(MetricState& state) const { return mean_result(state); }
};

// The mean of a loss over the samples that its mask leaves.
struct MeanOfLoss {
  static constexpr bool larger_is_better = false;
  static constexpr bool takes_class_labels = true;  // the loss sees to its labels itself
  std::string name;
  LossFunction loss;
  bool is_function() const { return loss.is_function(); }
  // A function may give one number for the whole batch.
  std::optional<bool> uses_sample_weight() const {
    return is_function() ? std::nullopt : std::optional<bool>(true);
  }
  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const {
    Tensor values = loss.values(y_true, y_pred);
    MetricOptions counted = options;
    if (const std::optional<Tensor> mask = loss.mask(y_true, y_pred)) {
      values = where(*mask, values, 0.0);
      Tensor weight = cast(*mask, DType::f32);
      if (options.sample_weight) {
        Tensor given = cast(*options.sample_weight, DType::f32);
        weight = weight * with_axes(given, weight.rank());
      }
      counted.sample_weight = weight;
    }
    add_to_mean(state, values, counted);
  }
  Tensor result(MetricState& state) const { return mean_result(state); }
  // The loss's, without how a batch's losses become one number.
  Config config() const {
    const Config whole = loss.get_config();
    if (whole.is_text()) return whole;
    Config values, result;
    for (const auto& [field, value] : whole["config"].map()) {
      if (field != "reduction") values.set(field, value);
    }
    result.set("class_name", whole["class_name"]);
    result.set("config", std::move(values));
    return result;
  }
};

struct MeanOfFunction {
  std::string name;
  std::function<Tensor(const Tensor&, const Tensor&)> function;
  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const {
    const auto [labels, predictions] = comparable(y_true, y_pred);
    add_to_mean(state, function(labels, predictions), options);
  }
  static bool is_function() { return true; }
  Tensor result(MetricState& state) const { return mean_result(state); }
};

template <class Spec>
Metric named(std::string_view name) {
  Spec spec;
  spec.name = name;
  return spec;
}

template <class Spec>
constexpr bool counts_places =
    std::is_same_v<Spec, IoU> || std::is_same_v<Spec, MeanIoU> || std::is_same_v<Spec, BinaryIoU> ||
    std::is_same_v<Spec, OneHotIoU> || std::is_same_v<Spec, OneHotMeanIoU>;

// Keras counts places in int32 unless told otherwise, and writes so; here they are counted in f32.
Config with_float_totals(const Config& values) {
  Config result{Config::Map{}};
  for (const auto& [name, value] : values.map()) {
    const bool is_integer = value == Config("int32") || value == Config("int64");
    if (name != "dtype" || !is_integer) result.set(name, value);
  }
  return result;
}

template <class Spec>
Metric metric_from_fields(const Config& values) {
  if constexpr (counts_places<Spec>) return spec_from<Spec>(with_float_totals(values));
  if constexpr (!LossSpec<Spec>) return spec_from<Spec>(values);
  Config of_loss{Config::Map{}};  // as a metric it has the type of its totals besides
  for (const auto& [name, value] : values.map()) {
    if (name != "dtype" || value != Config("float32")) of_loss.set(name, value);
  }
  return spec_from<Spec>(of_loss);
}

struct Row {
  std::string_view name;
  Metric (*make)(std::string_view name);
  std::string_view kind = {};
  Metric (*from_fields)(const Config& values) = nullptr;
};

template <class Spec>
constexpr Row row(std::string_view name) {
  if constexpr (HasFields<Spec>) return {name, named<Spec>, Spec::kind, metric_from_fields<Spec>};
  return {name, named<Spec>};
}

// One that only a configuration asks for.
template <class Spec>
constexpr Row unnamed_row() {
  return {"", nullptr, Spec::kind, metric_from_fields<Spec>};
}

constexpr Row rows[] = {
    SYSTOLIC_METRICS(SYSTOLIC_ROW)  // then those without a name
    unnamed_row<Accuracy>(),
    unnamed_row<F1Score>(),
    unnamed_row<FBetaScore>(),
    unnamed_row<MatthewsCorrelation>(),
    unnamed_row<Huber>(),
    unnamed_row<SensitivityAtSpecificity>(),
    unnamed_row<SpecificityAtSensitivity>(),
    unnamed_row<PrecisionAtRecall>(),
    unnamed_row<RecallAtPrecision>(),
    unnamed_row<IoU>(),
    unnamed_row<MeanIoU>(),
    unnamed_row<OneHotIoU>(),
    unnamed_row<OneHotMeanIoU>(),
};

[[noreturn]] void raise_wrong_update(const std::string& name, bool takes_values) {
  raise<InvalidArgument>({.what = str("metric '", name, "' updated with ",
                                      takes_values ? "labels and predictions" : "values alone"),
                          .wanted = takes_values
                                        ? "values: update_state(values)"
                                        : "labels and predictions: update_state(y_true, y_pred)"});
}

void update_with(const MetricRule& metric, MetricState& state, const Compared& rows) {
  const bool as_given = metric.takes_class_labels;
  const auto [labels, predictions] = as_given ? std::pair(rows.labels, rows.predictions)
                                              : to_same_rank(rows.labels, rows.predictions);
  if (!metric.compare) raise_wrong_update(metric.name, true);
  metric.compare(state, labels, predictions, {.sample_weight = rows.weight});
}

}  // namespace

Metric::Metric(MetricRule rule) {
  MetricState state(rule.name, rule.dtype);
  shared_ = std::make_shared<Shared>(Shared{std::move(rule), std::move(state)});
}

std::shared_ptr<Metric::Shared> Metric::handle() const {
  if (!shared_) {
    const Row& row = rows[position_];
    shared_ = row.make(row.name).shared_;
  }
  return shared_;
}

Metric Metric::of_loss(LossFunction loss) {
  const std::string name = loss.name();
  return MeanOfLoss{name, std::move(loss)};
}

Metric Metric::from_function(std::string name,
                             std::function<Tensor(const Tensor&, const Tensor&)> function) {
  return MeanOfFunction{std::move(name), std::move(function)};
}

Metric Metric::parse(std::string_view name, SourceLocation location) {
  Metric result;
  result.position_ =
      parse_choice(MetricNames::subject, name, Choice<MetricNames>::known(), location);
  return result;
}

Config Metric::get_config() const {
  return position_ >= 0 ? Config(rows[position_].name) : rule().config();
}

Metric Metric::from_config(const Config& config, SourceLocation location) {
  if (config.is_text()) return parse(config.text_value(), location);
  return row_of_kind(rows, MetricNames::subject, config, location).from_fields(config["config"]);
}

Tensor Metric::result() const {
  const auto shared = handle();
  return shared->rule.result(shared->state);
}

void Metric::update_state(const Compared& rows) const {
  const auto shared = handle();
  update_with(shared->rule, shared->state, rows);
}

void Metric::update_state(const Tensor& y_true, const Tensor& y_pred, MetricOptions options) const {
  Predictions predicted = predictions_of(y_pred);
  predicted.sample_weight = std::move(options.sample_weight);
  update_state(compared(y_true, predicted));
}

void Metric::update_nothing(const Compared& rows) const {
  MetricState dropped(name());
  update_with(rule(), dropped, rows);
}

void Metric::update_state(const Tensor& values, MetricOptions options) const {
  const auto shared = handle();
  if (!shared->rule.add) raise_wrong_update(shared->rule.name, false);
  shared->rule.add(shared->state, values, options);
}

void Metric::update_state(double value, MetricOptions options) const {
  update_state(Tensor(Literal::scalar(static_cast<float>(value))), std::move(options));
}

void Metric::reset_state() const { handle()->state.reset(); }
std::vector<Variable> Metric::variables() const { return handle()->state.variables(); }

}  // namespace systolic::inline v0
