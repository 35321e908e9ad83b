// State that lives on the device between steps: weights, optimizer slots, metric totals, counters.
//
// A Variable is a handle: copies name the same state. Reading it inside a trace gives its value at
// that point of the program; assigning makes the new value an output of the program (its memory is
// donated, so it is updated in place).
//
//   Variable step(constant(0), {.name = "step", .trainable = false});
//   step.assign_add(1);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "systolic/ir/role.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// How the values that the cores assign inside strategy.run are combined (TensorFlow's
// tf.VariableAggregation).
enum class Aggregation : uint8_t {
  none,  // every core must assign the same value
  sum,   // the cores' increments are added
  mean,
};

struct VariableOptions {
  std::string name = "Variable";                // shown in errors
  bool trainable = true;                        // false: a state that no optimizer moves
  Aggregation aggregation = Aggregation::none;  // how the cores' values become one
  // The heading under which breakdowns of memory count it.
  ir::Role role = ir::Role::parameter;
};

struct VariableState;  // trace/variable_state.h

class Variable {
 public:
  Variable() = default;
  // Starts as `initial` (read now).
  explicit Variable(const Tensor& initial, VariableOptions options = {},
                    SourceLocation location = SourceLocation::current());
  // A scalar: Variable(1.0), f32 as constant(1.0) is.
  template <Element T>
  explicit Variable(T initial, VariableOptions options = {},
                    SourceLocation location = SourceLocation::current())
      : Variable(Tensor(scalar(initial)), std::move(options), location) {}
  // Starts as what `initializer` returns when the variable is first used.
  Variable(DType dtype, Shape shape, std::function<Literal()> initializer,
           VariableOptions options = {});
  // A handle that was moved from keeps its state: moving copies.
  Variable(const Variable&) = default;
  Variable& operator=(const Variable&) = default;

  bool valid() const { return state_ != nullptr; }
  const std::string& name() const;
  bool trainable() const;
  void set_trainable(bool trainable);
  DType dtype() const;
  const Shape& shape() const;
  int64_t size() const { return shape().elements(); }

  // The value at this point of the open trace.
  Tensor value(SourceLocation location = SourceLocation::current()) const;

  // The new value must have the variable's type and shape.
  const Variable& assign(Operand value) const;
  const Variable& assign_add(Operand value) const;
  const Variable& assign_sub(Operand value) const;

  // On the host. While a program is traced there is no value yet: a FailedPrecondition. After an
  // eager update that failed: a FailedPrecondition that says what failed, until set().
  Literal literal(SourceLocation location = SourceLocation::current()) const;
  void set(const Literal& value, SourceLocation location = SourceLocation::current()) const;
  template <Element T>
  T item() const {
    return literal().template item<T>();
  }

  const std::shared_ptr<VariableState>& state() const { return state_; }
  friend bool operator==(const Variable& a, const Variable& b) { return a.state_ == b.state_; }
  friend auto trace_key(const Variable& variable) { return variable.state_; }

 private:
  template <Element T>
  static Literal scalar(T value) {
    if constexpr (std::is_same_v<T, double>) return Literal::scalar(static_cast<float>(value));
    return Literal::scalar(value);
  }
  VariableState& checked() const;
  const std::shared_ptr<VariableState>& checked_handle() const;

  std::shared_ptr<VariableState> state_;
};

}  // namespace systolic::inline v0
