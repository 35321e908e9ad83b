// A source made of elements that are at hand.
#pragma once

#include <string>

#include "systolic/data/node.h"

namespace systolic::inline v0 {
namespace data {

NodePointer node_of_elements(Chunk elements, std::string label);

}  // namespace data
}  // namespace systolic::inline v0
