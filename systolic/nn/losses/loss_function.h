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

#include <memory>
#include <string>

#include "systolic/nn/config/choice.h"
#include "systolic/nn/config/fields.h"
#include "systolic/nn/losses/reduction.h"
#include "systolic/nn/predictions.h"

namespace systolic::inline v0 {

struct LossNames {
  SYSTOLIC_NAMES(throw "loss must be one of: categorical_crossentropy sparse_categorical_crossentropy binary_crossentropy mean_squared_error mse mean_absolute_error mae huber kl_divergence kld")  // NOLINT
};

// A loss object: `Tensor values(y_true, y_pred) const` gives one f32 loss for each example (or
// element), `reduction` says what becomes of them. Where there is `std::optional<Tensor>
// mask(y_true, y_pred) const`, pred of the losses' shape, the losses that it leaves out do not
// count. Where there is `std::optional<ClassLabels> class_labels() const`, labels are checked
// before they reach the device; and of `labels_are_probabilities`, a constant, those beyond 0 and 1
// are said.
template <class Spec>
concept LossSpec = requires(const Spec& spec, const Tensor& y) {
  { spec.values(y, y) } -> std::convertible_to<Tensor>;
  { spec.reduction } -> std::convertible_to<Reduction>;
};
template <class F>
concept LossCallable =
    !LossSpec<F> && std::is_invocable_r_v<Tensor, const F&, const Tensor&, const Tensor&>;

// What labels may be where they are classes given as integers.
struct ClassLabels {
  int axis = -1;                        // of the classes in the predictions
  std::optional<int64_t> ignored = {};  // allowed besides 0, 1, ...
  bool places = false;                  // of tokens, say: those behind the last do not count
};

class AnyLoss {
 public:
  virtual ~AnyLoss() = default;
  virtual Tensor values(const Tensor& y_true, const Tensor& y_pred) const = 0;
  virtual std::optional<Tensor> mask(const Tensor&, const Tensor&) const { return {}; }
  virtual std::optional<ClassLabels> class_labels() const { return {}; }
  virtual bool labels_are_probabilities() const { return false; }
  // Of losses of probabilities: whether they make them of logits.
  virtual std::optional<bool> from_logits() const { return {}; }
  // A function of the user's: it may give one number for the whole batch.
  virtual bool is_function() const { return false; }
  virtual Reduction reduction() const = 0;
  virtual std::string name() const = 0;
  // Unimplemented where the spec has no fields().
  virtual Config config() const = 0;
};

class LossFunction {
 public:
  template <size_t n>
  consteval LossFunction(const char (&name)[n])  // NOLINT
      : position_(LossNames::position({name, n - 1})) {}
  template <LossSpec Spec>
  LossFunction(Spec spec);  // NOLINT
  template <LossCallable F>
  LossFunction(F function);  // NOLINT
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
  // Of losses whose labels are classes given as integers.
  std::optional<ClassLabels> class_labels() const { return loss()->class_labels(); }
  // Of losses whose labels are numbers from 0 to 1.
  bool labels_are_probabilities() const { return loss()->labels_are_probabilities(); }
  std::optional<bool> from_logits() const { return loss()->from_logits(); }
  bool is_function() const { return loss()->is_function(); }
  Reduction reduction() const;
  // "sparse_categorical_crossentropy"; "loss" for a function of one's own.
  std::string name() const;
  // Its name where it was given by one, else {"class_name": "Huber", "config": {...}}, and back. A
  // function of one's own has no configuration: Unimplemented.
  Config get_config() const;
  static LossFunction from_config(const Config& config,
                                  SourceLocation location = SourceLocation::current());
  friend auto trace_key(const LossFunction& loss) {
    return std::pair(loss.position_, loss.object_);
  }

 private:
  LossFunction() = default;
  std::shared_ptr<const AnyLoss> loss() const;

  int position_ = -1;
  std::shared_ptr<const AnyLoss> object_;
};

namespace internal {

template <LossSpec Spec>
class LossHolder : public AnyLoss {
 public:
  explicit LossHolder(Spec spec) : spec_(std::move(spec)) {}
  Tensor values(const Tensor& y_true, const Tensor& y_pred) const override {
    return spec_.values(y_true, y_pred);
  }
  std::optional<Tensor> mask(const Tensor& y_true, const Tensor& y_pred) const override {
    if constexpr (requires { spec_.mask(y_true, y_pred); }) return spec_.mask(y_true, y_pred);
    return {};
  }
  std::optional<ClassLabels> class_labels() const override {
    if constexpr (requires { spec_.class_labels(); }) return spec_.class_labels();
    return {};
  }
  std::optional<bool> from_logits() const override {
    if constexpr (requires { spec_.from_logits; }) return spec_.from_logits;
    return {};
  }
  bool labels_are_probabilities() const override {
    // Not of one that was derived and has a mask of its own, for labels of other kinds.
    const bool masks = requires(const Tensor& y) { spec_.mask(y, y); };
    if constexpr (requires { Spec::labels_are_probabilities; }) return !masks;
    return false;
  }
  Reduction reduction() const override { return spec_.reduction; }
  std::string name() const override {
    if constexpr (requires {
                    { spec_.name } -> std::convertible_to<std::string>;
                  }) {
      return spec_.name;
    } else {
      return "loss";
    }
  }
  Config config() const override {
    if constexpr (HasOwnFields<Spec>) return config_of(spec_);
    internal::raise_without_fields("loss", name());
  }

 private:
  Spec spec_;
};

template <LossCallable F>
class LossCall : public AnyLoss {
 public:
  explicit LossCall(F function) : function_(std::move(function)) {}
  Tensor values(const Tensor& y_true, const Tensor& y_pred) const override {
    return function_(y_true, y_pred);
  }
  bool is_function() const override { return true; }
  Reduction reduction() const override { return "sum_over_batch_size"; }
  std::string name() const override { return "loss"; }
  Config config() const override { internal::raise_without_fields("loss", name()); }

 private:
  F function_;
};

}  // namespace internal

template <LossSpec Spec>
LossFunction::LossFunction(Spec spec)
    : object_(std::make_shared<const internal::LossHolder<Spec>>(std::move(spec))) {}
template <LossCallable F>
LossFunction::LossFunction(F function)
    : object_(std::make_shared<const internal::LossCall<F>>(std::move(function))) {}

}  // namespace systolic::inline v0
