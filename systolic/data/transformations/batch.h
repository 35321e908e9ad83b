// Elements stacked into batches, and batches split into elements.
#pragma once

#include <span>
#include <string_view>

#include "systolic/core/example.h"

namespace systolic::inline v0 {
namespace data {

// Stacks elements of equal names, types and shapes along a new first axis. `first_index` is the
// number of the first one and `label` the transformation, for the error that names an element that
// does not fit.
Example stack_elements(std::span<const Example> elements, std::string_view label = "stack_elements",
                       int64_t first_index = 0);

}  // namespace data
}  // namespace systolic::inline v0
