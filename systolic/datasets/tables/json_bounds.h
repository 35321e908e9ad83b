// What a file's JSON may hold. nlohmann's ordered_json finds a member by looking at all of them: an
// object of a million would take hours.
#pragma once

#include <cstddef>
#include <string_view>

namespace systolic::inline v0 {
namespace datasets {

constexpr size_t most_json_members = 4096;  // of one object
constexpr size_t most_json_levels = 64;

// Whether the text keeps to both, in time linear in it. Other faults are left to the parser.
bool is_within_json_bounds(std::string_view json);

}  // namespace datasets
}  // namespace systolic::inline v0
