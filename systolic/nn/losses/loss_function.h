// A loss: a known name, one of the objects beside this file, or any function of labels and
// predictions.
//
//   LossFunction loss = SparseCategoricalCrossentropy{.from_logits = true};
//   Tensor value = loss(labels, logits);                             // an f32 scalar
//   Tensor weighted = loss(labels, logits, {.sample_weight = w});
//   Tensor counted = loss(labels, predictions_of(logits));           // as fit calls it
//   LossFunction own = [](const Tensor& y, const Tensor& p) { return abs(y - p); };
//
// Predictions are taken in f32, whatever the network computed in. Labels get their rank and type,
// as in Keras, before a loss sees them: (n,) beside predictions (n, 1) becomes (n, 1), integers
// become f32. Only losses that declare class_labels get labels as they are. Steps that a layer
// masked (nn/step_mask.h) count in no loss of [batch, steps, ...], nor in the number that means
// divide by.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "systolic/nn/config/choice.h"
#include "systolic/nn/config/rule.h"
#include "systolic/nn/losses/reduction.h"
#include "systolic/nn/predictions.h"

// What a loss may be called, and the class that the name stands for, with its defaults.
// clang-format off
#define SYSTOLIC_LOSSES(named)                                                       \
  named("categorical_crossentropy", CategoricalCrossentropy)                         \
  named("sparse_categorical_crossentropy", SparseCategoricalCrossentropy)            \
  named("binary_crossentropy", BinaryCrossentropy)                                   \
  named("mean_squared_error", MeanSquaredError)                                      \
  named("mse", MeanSquaredError)                                                     \
  named("mean_absolute_error", MeanAbsoluteError)                                    \
  named("mae", MeanAbsoluteError)                                                    \
  named("huber", Huber)                                                              \
  named("kl_divergence", KLDivergence)                                               \
  named("kld", KLDivergence)                                                         \
  named("bce", BinaryCrossentropy)                                                   \
  named("mean_absolute_percentage_error", MeanAbsolutePercentageError)               \
  named("mape", MeanAbsolutePercentageError)                                         \
  named("mean_squared_logarithmic_error", MeanSquaredLogarithmicError)               \
  named("msle", MeanSquaredLogarithmicError)                                         \
  named("cosine_similarity", CosineSimilarity)                                       \
  named("log_cosh", LogCosh)                                                         \
  named("hinge", Hinge)                                                              \
  named("squared_hinge", SquaredHinge)                                               \
  named("categorical_hinge", CategoricalHinge)                                       \
  named("poisson", Poisson)                                                          \
  named("binary_focal_crossentropy", BinaryFocalCrossentropy)                        \
  named("categorical_focal_crossentropy", CategoricalFocalCrossentropy)              \
  named("categorical_generalized_cross_entropy", CategoricalGeneralizedCrossEntropy) \
  named("ctc", CTC)                                                                  \
  named("dice", Dice)                                                                \
  named("tversky", Tversky)                                                          \
  named("circle", Circle)                                                            \
  named("BCE", BinaryCrossentropy)                                                   \
  named("KLD", KLDivergence)                                                         \
  named("MAE", MeanAbsoluteError)                                                    \
  named("MSE", MeanSquaredError)                                                     \
  named("MAPE", MeanAbsolutePercentageError)                                         \
  named("MSLE", MeanSquaredLogarithmicError)
// clang-format on

namespace systolic::inline v0 {

// The names that a LossFunction takes, in all of Keras's spellings, each with the object that it
// stands for.
struct LossNames {
  SYSTOLIC_NAMES_OF("loss", SYSTOLIC_LOSSES)
};

// A loss object: `Tensor values(y_true, y_pred) const` gives one f32 loss for each example (or
// element), `reduction` says what becomes of them. Where there is `std::optional<Tensor>
// mask(y_true, y_pred) const`, pred of the losses' shape, the losses that it leaves out do not
// count. Where there is `std::optional<ClassLabels> class_labels() const`, labels are checked
// before they reach the device. With `static constexpr bool labels_are_probabilities = true` a line
// tells of labels below 0 or above 1. Where there is `bool joins_rows() const`, and it is true, the
// loss of a row depends on the others of the batch, which is then not padded.
template <class Spec>
concept LossSpec = requires(const Spec& spec, const Tensor& y) {
  { spec.values(y, y) } -> std::convertible_to<Tensor>;
  { spec.reduction } -> std::convertible_to<Reduction>;
};
// A function of labels and predictions that gives losses, such as a lambda.
template <class F>
concept LossCallable =
    !LossSpec<F> && std::is_invocable_r_v<Tensor, const F&, const Tensor&, const Tensor&>;

// What labels may be where they are classes given as integers.
struct ClassLabels {
  int axis = -1;                        // of the classes in the predictions
  std::optional<int64_t> ignored = {};  // allowed besides 0, 1, ...
  bool places = false;                  // of tokens, say: those after the last do not count
  bool any_length = false;              // a row has as many as it likes, not one a prediction
  bool checked = true;                  // they are places along the axis
};

// What LossFunction keeps of a loss, whatever it was written as.
struct LossRule {
  std::string name = "loss";
  Reduction reduction = "sum_over_batch_size";
  std::optional<ClassLabels> class_labels = {};
  bool labels_are_probabilities = false;
  // A loss of probabilities: whether it makes them of logits.
  std::optional<bool> from_logits = {};
  // A function of the user's: it may give one number for the whole batch.
  bool is_function = false;
  // The loss of a row depends on the others of the batch.
  bool joins_rows = false;

  std::function<Tensor(const Tensor& y_true, const Tensor& y_pred)> values = {};
  std::function<std::optional<Tensor>(const Tensor& y_true, const Tensor& y_pred)> mask = {};
  // Unimplemented where the spec has no fields().
  std::function<Config()> config = {};
};

namespace internal {

template <LossSpec Spec>
LossRule loss_rule(Spec spec);
template <LossCallable F>
LossRule loss_rule(F function);

}  // namespace internal

class LossFunction {
 public:
  template <size_t n>
  consteval LossFunction(const char (&name)[n])  // NOLINT
      : position_(LossNames::position({name, n - 1})) {}
  template <class Loss>
  requires(LossSpec<Loss> || LossCallable<Loss>) LossFunction(Loss loss)  // NOLINT
      : rule_(std::make_shared<const LossRule>(internal::loss_rule(std::move(loss)))) {}
  // A handle that was moved from still holds on: moving copies.
  LossFunction(const LossFunction&) = default;
  LossFunction& operator=(const LossFunction&) = default;

  static LossFunction parse(std::string_view name,
                            SourceLocation location = SourceLocation::current());

  // Reduced to a scalar, unless the reduction is "none".
  Tensor operator()(const Tensor& y_true, const Tensor& y_pred, LossOptions options = {}) const;
  Tensor operator()(const Tensor& y_true, const Predictions& predicted) const;
  // One for each example.
  Tensor values(const Tensor& y_true, const Tensor& y_pred) const;
  // Which of them count; all where there is none.
  std::optional<Tensor> mask(const Tensor& y_true, const Tensor& y_pred) const;
  // Where labels are classes given as integers.
  std::optional<ClassLabels> class_labels() const { return rule()->class_labels; }
  // Whether labels are numbers from 0 to 1.
  bool labels_are_probabilities() const { return rule()->labels_are_probabilities; }
  std::optional<bool> from_logits() const { return rule()->from_logits; }
  bool is_function() const { return rule()->is_function; }
  // Whether the loss of a row depends on the others of the batch.
  bool joins_rows() const { return rule()->joins_rows; }
  Reduction reduction() const { return rule()->reduction; }
  // "sparse_categorical_crossentropy"; "loss" for a function of one's own.
  std::string name() const { return rule()->name; }
  // Its name where it was given by one, else {"class_name": "Huber", "config": {...}}, and back. A
  // function of one's own has no configuration: Unimplemented.
  Config get_config() const;
  static LossFunction from_config(const Config& config,
                                  SourceLocation location = SourceLocation::current());
  friend auto trace_key(const LossFunction& loss) { return std::pair(loss.position_, loss.rule_); }

 private:
  LossFunction() = default;
  std::shared_ptr<const LossRule> rule() const;

  int position_ = -1;                     // in LossNames, where it was given by name
  std::shared_ptr<const LossRule> rule_;  // else
};

namespace internal {

template <LossSpec Spec>
LossRule loss_rule(Spec spec) {
  constexpr bool masks = requires(const Tensor& y) { spec.mask(y, y); };
  LossRule rule;
  rule.reduction = spec.reduction;
  if constexpr (requires {
                  { spec.name } -> std::convertible_to<std::string>;
                })
    rule.name = spec.name;
  if constexpr (requires { spec.class_labels(); }) rule.class_labels = spec.class_labels();
  if constexpr (requires { spec.from_logits; }) rule.from_logits = spec.from_logits;
  // Not one that was derived and has a mask of its own, for labels of other kinds.
  if constexpr (requires { Spec::labels_are_probabilities; })
    rule.labels_are_probabilities = !masks;
  if constexpr (requires { spec.joins_rows(); }) rule.joins_rows = spec.joins_rows();

  const auto kept = std::make_shared<const Spec>(std::move(spec));
  rule.values = [kept](const Tensor& y_true, const Tensor& y_pred) {
    return kept->values(y_true, y_pred);
  };
  if constexpr (masks) {
    rule.mask = [kept](const Tensor& y_true, const Tensor& y_pred) {
      return kept->mask(y_true, y_pred);
    };
  }
  rule.config = [kept, name = rule.name] { return config_of_rule(*kept, "loss", name); };
  return rule;
}

template <LossCallable F>
LossRule loss_rule(F function) {
  LossRule rule;
  rule.is_function = true;
  const auto kept = std::make_shared<const F>(std::move(function));
  rule.values = [kept](const Tensor& y_true, const Tensor& y_pred) {
    return (*kept)(y_true, y_pred);
  };
  rule.config = []() -> Config { raise_without_fields("loss", "loss"); };
  return rule;
}

}  // namespace internal

}  // namespace systolic::inline v0
