// Layers one after another.
//
//   Network network = Sequential({Input{.shape = {784}}, Dense{.units = 10}});
//
// A function and not a class: `Sequential({inner})` would nest in one compiler and copy in another.
#pragma once

#include <initializer_list>

#include "systolic/nn/network/network.h"

namespace systolic::inline v0 {

inline Network Sequential(std::initializer_list<Layer> layers, NetworkOptions options = {},
                          SourceLocation location = SourceLocation::current()) {
  return Network(std::vector<Layer>(layers), std::move(options), location);
}
inline Network Sequential(const std::vector<Layer>& layers, NetworkOptions options = {},
                          SourceLocation location = SourceLocation::current()) {
  return Network(layers, std::move(options), location);
}

}  // namespace systolic::inline v0
