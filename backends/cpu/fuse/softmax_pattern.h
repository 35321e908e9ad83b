// Softmax along the last axis, or its exponentials and their sums where they are read apart.
#pragma once

#include <optional>

#include "backends/cpu/fuse/group.h"

namespace systolic::inline v0 {
namespace cpu {

// The pattern around `exponential`: the maximum of rows, what is left above it, its exponentials
// and their sums. With the division where it is all that is done with them. Nothing where the
// exponentials are not what is stored: a sum alone is taken as they are computed.
std::optional<Group> softmax_pattern(const Planner& planner, const ir::Block& block,
                                     const ir::Op& exponential);

}  // namespace cpu
}  // namespace systolic::inline v0
