// What a weight must satisfy after each step (keras.constraints): a known name, one of the objects
// beside this file, or any function of the weight.
//
//   Dense{.units = 64, .kernel_constraint = "non_neg"}
//   Dense{.units = 64, .kernel_constraint = MaxNorm{.max_value = 3}}
//   Dense{.units = 64, .kernel_constraint = [](const Tensor& w) { return clip(w, -1.0, 1.0); }}
//
// An optimizer's apply_gradients puts the weight's new value through it, in fit and in loops of
// one's own: the value that a weight starts with is not. What it gives has the weight's shape; it
// is cast to the weight's type.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <type_traits>

#include "systolic/nn/config/choice.h"
#include "systolic/nn/config/fields.h"
#include "systolic/trace/tensor.h"

// What a constraint may be called, and the class that the name stands for, with its defaults.
// clang-format off
#define SYSTOLIC_CONSTRAINTS(named) \
  named("max_norm", MaxNorm)        \
  named("non_neg", NonNeg)          \
  named("unit_norm", UnitNorm)      \
  named("min_max_norm", MinMaxNorm)
// clang-format on

namespace systolic::inline v0 {

// Constraints that a name stands for, with their defaults.
struct ConstraintNames {
  SYSTOLIC_NAMES_OF("constraint", SYSTOLIC_CONSTRAINTS)
};

// A constraint object: an aggregate with `Tensor operator()(const Tensor& weight) const`.
template <class Spec>
concept ConstraintSpec = std::is_invocable_r_v<Tensor, const Spec&, const Tensor&>;

class Constraint {
 public:
  Constraint() = default;  // none
  template <size_t n>
  consteval Constraint(const char (&name)[n])  // NOLINT
      : position_(ConstraintNames::position({name, n - 1})) {}
  template <ConstraintSpec Spec>
  requires(!std::same_as<Spec, Constraint>) Constraint(Spec spec)  // NOLINT
      : object_(std::make_shared<const Object>(Object{spec, config_of_object(spec)})) {}

  static Constraint parse(std::string_view name,
                          SourceLocation location = SourceLocation::current());
  static Constraint from_config(const Config& config);

  bool is_none() const { return position_ < 0 && !object_; }
  Tensor operator()(const Tensor& weight) const;
  // Null for none. A function has no configuration: Unimplemented.
  Config config() const;

 private:
  struct Object {
    std::function<Tensor(const Tensor&)> function;
    Config config;
  };
  template <class Spec>
  static Config config_of_object(const Spec& spec) {
    if constexpr (HasFields<Spec>) return config_of(spec);
    return {};
  }

  int position_ = -1;
  std::shared_ptr<const Object> object_;
};

inline Config to_config(const Constraint& constraint) { return constraint.config(); }
inline void from_config(const Config& config, Constraint& constraint) {
  constraint = Constraint::from_config(config);
}

}  // namespace systolic::inline v0
