// What flows back through a softmax along the last axis (softmax_pattern.h), as autodiff writes it.
#pragma once

#include <optional>

#include "backends/cpu/fuse/group.h"

namespace systolic::inline v0 {
namespace cpu {

// The pattern around the `negate` of what flows back to the sums of rows: through the division by
// them, and then, with what flows back to the exponentials beside it, through these.
std::optional<Group> softmax_gradient_pattern(const Planner& planner, const ir::Block& block,
                                              const ir::Op& negate);

}  // namespace cpu
}  // namespace systolic::inline v0
