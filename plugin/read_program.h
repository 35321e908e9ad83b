// The one place where a caller's program is read.
#pragma once

#include <string_view>

#include "systolic/stablehlo/program.h"

namespace systolic::inline v0 {
namespace plugin {

// StableHLO as text, or as the bytecode that JAX sends.
stablehlo::Program read_program(std::string_view format, std::string_view bytes);

}  // namespace plugin
}  // namespace systolic::inline v0
