// What flows back through a normalization of rows (normalize_pattern.h), as autodiff writes it.
#pragma once

#include <optional>

#include "backends/cpu/fuse/group.h"

namespace systolic::inline v0 {
namespace cpu {

// The pattern around the `negate` of what flows back to the rows above their means: through their
// scaling and, twice, through the sums of their squares; and less its mean. `with_sums`: with the
// sums of columns that are the gradients of the offset and of the scale, where those are there.
std::optional<Group> normalize_gradient_pattern(const Planner& planner, const ir::Block& block,
                                                const ir::Op& negate, bool with_sums);

}  // namespace cpu
}  // namespace systolic::inline v0
