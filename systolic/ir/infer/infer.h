// Shape rules: the types of an op's results from its operands, attributes and regions, as
// StableHLO's specification gives them. An op that breaks a constraint raises InvalidArgument with
// the constraint's label from the specification (such as dot_general_c10), the numbers, and the
// location.
#pragma once

#include <span>
#include <vector>

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace ir {

struct InferInput {
  OpCode code;
  std::span<const Type> operands;
  const Attributes& attributes;
  // For ops with regions: the function that owns the values of the regions, and the regions.
  const Function* function = nullptr;
  std::span<const Block> regions = {};
  // For ops whose result is not implied (constant has its literal; iota, reshape, convert,
  // bitcast_convert, broadcast_in_dim, rng_bit_generator, custom_call, replica groups): the types
  // requested.
  std::span<const Type> requested = {};
  const Module* module = nullptr;  // for call
  SourceLocation location = {};
};

std::vector<Type> infer_types(const InferInput& input);

// Raises an error that names the op as the user knows it: "dot_general: <what>" with label and
// location.
[[noreturn]] void raise_constraint(const InferInput& input, std::string_view label,
                                   std::string what, std::string wanted = {},
                                   std::string hint = {});

}  // namespace ir
}  // namespace systolic::inline v0
