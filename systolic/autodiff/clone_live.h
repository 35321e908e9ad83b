// Copies the part of a region that some of its values need: gradients of control flow compute
// regions again.
#pragma once

#include <span>
#include <vector>

#include "systolic/autodiff/walk.h"

namespace systolic::inline v0 {
namespace autodiff {

// Appends to the builder's block those ops of `region` that `wanted` (values of the region, or from
// outside) need, with the region's arguments replaced, and returns the copies of `wanted`. Values
// from outside stay. Copies of stopped values become stopped. An argument without a replacement (an
// invalid Value) must not be needed.
std::vector<ir::Value> clone_live(Walk& walk, const ir::Block& region,
                                  std::span<const ir::Value> arguments,
                                  std::span<const ir::ValueId> wanted);

// Which of the values `asked` (arguments of the region, or from outside) `wanted` depends on.
std::vector<bool> needed(const ir::Block& region, std::span<const ir::ValueId> wanted,
                         std::span<const ir::ValueId> asked);

}  // namespace autodiff
}  // namespace systolic::inline v0
