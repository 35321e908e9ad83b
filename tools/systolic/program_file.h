// Programs that lie in files.
#pragma once

#include <string>

#include "systolic/stablehlo/program.h"

namespace tool {

// What the file holds; "-" is the standard input. NotFound where there is none, InvalidArgument of
// a directory, ResourceExhausted of more than 2 GiB.
std::string program_bytes(const std::string& path);

// A StableHLO program: text, or the bytecode that JAX serializes.
systolic::stablehlo::Program program_of_file(const std::string& path);

}  // namespace tool
