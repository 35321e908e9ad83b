// Shared by the two forms of map.
#pragma once

#include <memory>
#include <string_view>

#include "systolic/data/element_function.h"
#include "systolic/data/node.h"
#include "systolic/data/stage.h"
#include "systolic/data/transformations/ignored_errors.h"

namespace systolic::inline v0 {
namespace data {

// Calls the function; what it throws then names the transformation and the element, and anything
// but a systolic::Error becomes a FunctionFailed.
Example apply_to_element(const ElementFunction& function, const Example& element,
                         std::string_view label, int64_t index);

// What a map does with its elements.
struct MapWork {
  ElementFunction function;
  MapOptions options;
  std::shared_ptr<IgnoredErrors> ignored = nullptr;  // without it an error ends the dataset
};

// Puts the results in the elements' places, from the front where some are skipped; `index` is the
// first one's number. After an error the chunk holds the results before it; throws it, or Cancelled
// once the iterator goes away.
void map_chunk(const MapWork& work, const RunState& run, Chunk& chunk, std::string_view label,
               int64_t index);

// map by several threads. `node` and `work` must outlive the stage.
std::unique_ptr<Stage> make_parallel_map(const Context& context, const Node& node,
                                         std::unique_ptr<Stage> input, const MapWork& work);

}  // namespace data
}  // namespace systolic::inline v0
