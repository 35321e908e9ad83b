// Programs that lie in files.
#pragma once

#include <string>

#include "systolic/stablehlo/program.h"

namespace tool {

// A StableHLO program: text, or the bytecode that JAX serializes. NotFound where there is no file.
systolic::stablehlo::Program program_of_file(const std::string& path);

}  // namespace tool
