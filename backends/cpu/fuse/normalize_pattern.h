// Normalization of rows to a mean of 0 and a variance of 1, as layer normalization begins.
#pragma once

#include <optional>

#include "backends/cpu/fuse/group.h"

namespace systolic::inline v0 {
namespace cpu {

// The pattern around the `rsqrt` of variances of rows: their means, what is left of the rows above
// them, its squares and their means. `whole`: with what it is multiplied by, and the scale and the
// offset of columns after that, where no elementwise ops go on from there; these run all that
// with themselves.
std::optional<Group> normalize_pattern(const Planner& planner, const ir::Block& block,
                                       const ir::Op& rsqrt, bool whole);

}  // namespace cpu
}  // namespace systolic::inline v0
