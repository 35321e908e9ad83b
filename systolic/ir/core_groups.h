// The groups of cores among which collectives work.
#pragma once

#include <cstdint>
#include <vector>

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace ir {

// The groups of cores of a collective other than collective_permute; one of all where it names
// none.
std::vector<std::vector<int64_t>> groups_of(const Op& op, int64_t cores);
// Do all cores form one group?
bool is_whole_group(const Op& op, int64_t cores);

}  // namespace ir
}  // namespace systolic::inline v0
