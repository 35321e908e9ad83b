// Arrays one after the other.
#pragma once

#include <vector>

#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace datasets {

// [rows, ...] of all: one type, and the same sizes but for the first. At least one array.
Literal joined_rows(const std::vector<Literal>& parts);

}  // namespace datasets
}  // namespace systolic::inline v0
