// Reads programs from elsewhere, as text or as bytecode: their first bytes say which.
//
//   stablehlo::Program program = stablehlo::read_program(io::read_file(path), path);
//
// Errors are the InvalidArgument of parse.h, with line and column, or of bytecode.h, with the byte.
#pragma once

#include <string>
#include <vector>

#include "systolic/stablehlo/program.h"

namespace systolic::inline v0 {
namespace stablehlo {

// `file` comes first in errors.
Program read_program(std::string bytes, std::string file = "program");

// All programs of a file: lines of "// -----" split a text, bytecode holds one program.
std::vector<Program> read_programs(std::string bytes, const std::string& file = "program");

}  // namespace stablehlo
}  // namespace systolic::inline v0
