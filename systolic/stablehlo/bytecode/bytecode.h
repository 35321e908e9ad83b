// Reads MLIR bytecode: what JAX serializes ("StableHLO portable artifacts") and hands to plugins.
//
//   if (stablehlo::is_bytecode(data)) {
//     stablehlo::Program program = stablehlo::read_bytecode(data, "model.mlirbc");
//     ir::Module module = stablehlo::import_module(program);
//   }
//
// The Program is the one that the text parser (parse.h) gives for the same module: ops, attributes
// and types of VHLO, StableHLO's versioned twin, get StableHLO's names, and attributes that only
// spell out a default are left out.
//
// Bytecode versions 0 to 6; dialects: builtin, vhlo 0.9 to 1.20, sdy, and func as far as its ops
// stand beside those two. Attributes and types of any dialect that are kept as text are read as
// text. Nesting (regions, types, attributes) may go 200 deep.
//
// Bytes that are wrong are an InvalidArgument that names the byte; memory and time are bounded by
// the number of bytes. Ops of dialects whose encoding is not known here are Unimplemented.
//
// Sources: MLIR's "Bytecode Format"; StableHLO's docs/bytecode.md and docs/vhlo.md, its tables of
// attribute and type codes; Shardy's tables of attribute codes.
#pragma once

#include <string>
#include <string_view>

#include "systolic/stablehlo/program.h"

namespace systolic::inline v0 {
namespace stablehlo {

// Does it start with "ML\xefR"?
bool is_bytecode(std::string_view data);

// `file` comes first in errors.
Program read_bytecode(std::string data, std::string file = "program.mlirbc");

}  // namespace stablehlo
}  // namespace systolic::inline v0
