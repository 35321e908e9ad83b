// What the two forms of map share.
#pragma once

#include <memory>
#include <string_view>

#include "systolic/data/element_function.h"
#include "systolic/data/node.h"
#include "systolic/data/stage.h"

namespace systolic::inline v0 {
namespace data {

// Calls the function; what it throws then names the transformation and the element, and what is no
// systolic::Error becomes a FunctionFailed.
Example apply_to_element(const ElementFunction& function, const Example& element,
                         std::string_view label, int64_t index);

// map by several threads. `node` and `function` must outlive the stage.
std::unique_ptr<Stage> make_parallel_map(const Context& context, const Node& node,
                                         std::unique_ptr<Stage> input,
                                         const ElementFunction& function, MapOptions options);

}  // namespace data
}  // namespace systolic::inline v0
