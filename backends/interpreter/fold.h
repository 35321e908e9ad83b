// Folding with a region: one-op regions (sum, maximum, ...) directly, all others by running them.
#pragma once

#include <optional>
#include <span>

#include "backends/interpreter/kernels.h"

namespace systolic::inline v0 {
namespace interpreter {

// The op of a region that returns `op(left, right)` of its two arguments, in this order.
std::optional<ir::OpCode> single_op(const ir::Block& region);

// Folds scalars into accumulators; several arrays at once for variadic folds.
class Fold {
 public:
  Fold(const Call& call, size_t region);
  // The types of the accumulators: what the region takes on its left.
  // state[k] = region(state..., values[k][positions...])
  void apply(std::span<Literal> state, std::span<const Literal> values, int64_t position) const;
  // One element of an array of accumulators with one scalar.
  void apply_at(std::span<Literal> arrays, int64_t at, std::span<const Literal> values,
                int64_t position) const;

 private:
  const Call& call_;
  size_t region_;
  std::optional<ir::OpCode> code_;
};

}  // namespace interpreter
}  // namespace systolic::inline v0
