// Writes MLIR bytecode: a "StableHLO portable artifact", which JAX, TensorFlow and StableHLO's own
// tools of that version and later read (StableHLO promises five years back, docs/compatibility.md).
//
//   io::write_file("model.mlirbc", stablehlo::write_bytecode(stablehlo::parse(text)));
//
// The ops are those of VHLO 1.0.0, in bytecode version 6. What StableHLO has got since is
// Unimplemented: algorithms of products, axes of batches in gather and scatter, and so are layouts,
// quantized types, Shardy's ops. chlo.erf becomes a custom call "mhlo.erf", as XLA reads it.
// Locations are left out.
#pragma once

#include <string>

#include "systolic/stablehlo/program.h"

namespace systolic::inline v0 {
namespace stablehlo {

inline constexpr const char* written_vhlo_version = "1.0.0";

std::string write_bytecode(const Program& program);

}  // namespace stablehlo
}  // namespace systolic::inline v0
