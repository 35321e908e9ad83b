// Programs that lie in files.
#pragma once

#include <string>

#include "systolic/stablehlo/program.h"

namespace tool {

// The bytes of a file. NotFound where it cannot be read.
std::string bytes_of_file(const std::string& path);

// A StableHLO program: text, or the bytecode that JAX serializes.
systolic::stablehlo::Program program_of_file(const std::string& path);

}  // namespace tool
