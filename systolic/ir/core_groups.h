// The groups of cores among which collectives work.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace ir {

// The groups of cores of a collective other than collective_permute; one group of all cores where
// it names none.
std::vector<std::vector<int64_t>> groups_of(const Op& op, int64_t cores);
// Do all cores form one group?
bool is_whole_group(const Op& op, int64_t cores);

// A number for each core, equal for cores whose values reach each other through this collective:
// all of them must come to it, or none. A core that takes no part has a number of its own.
std::vector<int64_t> reached_groups(const Op& op, int64_t cores);
// Where some cores of a group come to a collective and others do not: "core 0 comes to it, but
// core 1, with which it exchanges values, does not". `comes` has 0 or 1 for each core.
std::optional<std::string> find_split_group(std::span<const int64_t> groups,
                                            std::span<const uint8_t> comes);

// The function (runtime/custom_function.h) by which a program checks this while it runs: its
// operand is pred[cores], the cores that come; its options are "collective", its name, and
// "groups", s64[cores]. It has no results.
inline constexpr const char* cores_come_together = "systolic.cores_come_together";

}  // namespace ir
}  // namespace systolic::inline v0
