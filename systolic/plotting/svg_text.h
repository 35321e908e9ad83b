// A diagram as SVG, laid out here. Internal to plotting.
#pragma once

#include <string>

#include "systolic/plotting/model_diagram.h"
#include "systolic/plotting/plot_model.h"

namespace systolic::inline v0 {
namespace plotting {

std::string svg_of(const Diagram& diagram, const std::string& name,
                   const ModelToDotOptions& options);

}  // namespace plotting
}  // namespace systolic::inline v0
