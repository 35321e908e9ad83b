// Cutting an array into the parts that cores hold, and joining parts.
#pragma once

#include "systolic/core/literal.h"
#include "systolic/ir/shard.h"

namespace systolic::inline v0 {
namespace pjrt {

// A copy of that part of `whole`.
Literal part_of(const Literal& whole, const ir::ShardRange& range);
// Writes the part to its place in `whole`.
void put_part(Literal& whole, const Literal& part, const ir::ShardRange& range);

}  // namespace pjrt
}  // namespace systolic::inline v0
