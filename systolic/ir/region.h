// What the regions of ops do.
#pragma once

#include <optional>

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace ir {

// The one op by which a region folds its two arguments into its result: add, multiply, maximum,
// minimum, and, or, xor, with the arguments in either order. Nothing for other regions.
std::optional<OpCode> fold_op(const Block& region);

// The first collective in a block or its regions; nullptr when there is none.
const Op* find_collective(const Block& block);

// Whether the op, or one in its regions, does more than compute its results: a custom_call that
// says so. Such an op is neither removed nor shared, and keeps its place in the program.
bool has_side_effect(const Op& op);
// The same for calls that each core of a per-core program makes by itself.
bool has_side_effect_on_each_core(const Op& op);

}  // namespace ir
}  // namespace systolic::inline v0
