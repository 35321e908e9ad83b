// Reads StableHLO text: modules in MLIR's generic form and in StableHLO's pretty one, mixed freely.
//
//   stablehlo::Program program = stablehlo::parse(text, "model.mlir");
//   ir::Module module = stablehlo::import_module(program);
//
// Sources: StableHLO docs/spec.md ("Programs", and the syntax that each op's examples show), MLIR's
// language reference. `func`, `stablehlo`, `chlo`, `check` and `interpreter` ops have their pretty
// forms; an op of any dialect is read in the generic form. Regions, types and attributes may nest
// 200 deep. A text that is wrong is an InvalidArgument with line, column, what was found and what
// was expected.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "systolic/stablehlo/program.h"

namespace systolic::inline v0 {
namespace stablehlo {

inline constexpr int max_nesting = 200;

// `file` comes first in errors.
Program parse(std::string text, std::string file = "program.mlir");

// The programs of a text that lines of "// -----" split.
std::vector<Program> parse_all(const std::string& text, const std::string& file = "program.mlir");

}  // namespace stablehlo
}  // namespace systolic::inline v0
