// Makes a network's graph of what the user wrote: symbols, or layers one after another. Internal to
// nn.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "systolic/nn/network/graph_spec.h"

namespace systolic::inline v0 {

// What leads from the inputs to the outputs. `kind` is "Functional" or "Sequential". An input that
// is missing, named twice, or no input is an InvalidArgument.
std::unique_ptr<GraphSpec> graph_between(const std::vector<Symbol>& inputs,
                                         const std::vector<Symbol>& outputs, std::string kind,
                                         std::string name, SourceLocation location);

// One node a layer, after an input of any type; types come with the first call.
std::unique_ptr<GraphSpec> chain_of(const std::vector<Layer>& layers, std::string name,
                                    SourceLocation location);

}  // namespace systolic::inline v0
