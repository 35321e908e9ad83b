// Copying ops between functions: for inlining, cutting a slice out of a trace, building a gradient.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace ir {

// Old value -> new value, as a dense table over the source function's values.
class ValueMap {
 public:
  explicit ValueMap(size_t values) : to_(values, no_value) {}
  bool contains(ValueId from) const { return to_[static_cast<size_t>(from)] != no_value; }
  ValueId at(ValueId from) const { return to_[static_cast<size_t>(from)]; }
  void set(ValueId from, ValueId to) { to_[static_cast<size_t>(from)] = to; }

 private:
  std::vector<ValueId> to_;
};

// Appends a copy of `op` (of function `source`) to `block` of `target`; operands, and values that
// its regions take from outside, go through `map`, to which the results are added. Types are
// copied, not inferred again.
void clone_op(const Op& op, const Function& source, Function& target, Block& block, ValueMap& map);

// Copies all ops of `source.body` in place of a call: arguments become `arguments`; returns the
// results' values.
std::vector<ValueId> inline_function(const Function& source, std::span<const ValueId> arguments,
                                     Function& target, Block& block);

// Values that `op` reads from outside itself: its operands, then what its regions capture (each
// once).
std::vector<ValueId> values_read(const Op& op);

// A copy of the module in which every call is replaced by the callee's ops. Recursion is an
// InvalidArgument.
Module inline_calls(const Module& module);

}  // namespace ir
}  // namespace systolic::inline v0
