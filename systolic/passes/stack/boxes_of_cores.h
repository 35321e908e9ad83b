// Each core's box of an array that is the same on all cores, where its place follows from the
// core's number alone: what a program does that hands parts of whole arrays to its cores.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "systolic/passes/stack/stacker.h"

namespace systolic::inline v0 {
namespace passes {

// [core]: an integer of one element, where it is a constant, or what a table has for the core.
std::optional<std::vector<int64_t>> known_integers(const Stacker& s, ir::ValueId value);

// [cores, box...] of `whole` by reshapes and transposes, where the boxes follow each other in
// row-major order: one for each core, or each for as many neighbouring cores. `starts`:
// [axis][core].
std::optional<ir::Value> boxes_in_order(ir::Value whole, const ir::Axes& box,
                                        const std::vector<std::vector<int64_t>>& starts);

}  // namespace passes
}  // namespace systolic::inline v0
