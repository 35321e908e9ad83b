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

}  // namespace ir
}  // namespace systolic::inline v0
