// A diagram in Graphviz's language. Internal to plotting.
#pragma once

#include <string>

#include "systolic/plotting/model_diagram.h"
#include "systolic/plotting/plot_model.h"

namespace systolic::inline v0 {
namespace plotting {

std::string dot_of(const Diagram& diagram, const std::string& name,
                   const ModelToDotOptions& options);

}  // namespace plotting
}  // namespace systolic::inline v0
