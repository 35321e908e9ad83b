// What a rule of the gradient table sees: the operands x(i) and results y(i) of the op that it
// differentiates, the gradients g(i) that arrive at the results, and grad(i, ...) to hand one on to
// operand i.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "systolic/autodiff/walk.h"

namespace systolic::inline v0 {
namespace autodiff {

class GradientRule {
 public:
  GradientRule(Walk& walk, size_t index) : walk_(walk), index_(index) {}

  // The op. The reference lives until the next op is appended.
  const ir::Op& op() const { return walk_.op(index_); }
  ir::OpCode code() const { return op().code; }
  template <class T>
  T attributes() const {
    return op().get<T>();
  }
  ir::Builder& builder() const { return walk_.builder(); }
  Walk& walk() const { return walk_; }

  size_t operands() const { return op().operands.size(); }
  size_t results() const { return op().results.size(); }
  ir::Value x(size_t i = 0) const { return builder().value(op().operands[i]); }
  ir::Value y(size_t i = 0) const { return builder().value(op().results[i]); }
  // The gradient that arrives at result i. An op with one result always has it; with several
  // results, some may have none.
  bool has_g(size_t i) const { return walk_.arrives(op().results[i]); }
  ir::Value g(size_t i = 0) const { return builder().value(walk_.adjoint(op().results[i])); }

  // Whether operand i depends on a source. Compute a gradient only then.
  bool needs(size_t i = 0) const { return walk_.varied(op().operands[i]); }
  void grad(size_t i, ir::Value gradient) { walk_.accumulate(op().operands[i], gradient); }

  // The number that operand i is filled with, if the program says so.
  std::optional<double> splat(size_t i) const;
  // The integer that a scalar value is, if the program says so.
  std::optional<int64_t> integer(ir::ValueId value) const;

  // Raises that there is no gradient, because ...; names the user's line.
  [[noreturn]] void none(std::string_view why, std::string_view hint = {}) const;

 private:
  Walk& walk_;
  size_t index_;
};

}  // namespace autodiff
}  // namespace systolic::inline v0
