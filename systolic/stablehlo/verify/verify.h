// Checks a program against the constraints of StableHLO's specification (docs/spec.md).
//
//   stablehlo::verify(parse(text, "model.mlir"));
//   // InvalidArgument: model.mlir:3:8: dot_general_c10: dim(rhs, 0), got 4, expected 3 = dim(lhs,
//   1)
//
// Each violation is an InvalidArgument with the place of the op and the specification's own label:
// the op and the number of the constraint (dot_general_c10) or of the input whose element type is
// wrong (cosine_i1); quantized_type_c5 for types. A size that is not known ("?") fits every other.
// What an op's own constraints presume - how many operands, results and regions it has, that it is
// given all attributes - is checked first, without a label.
//
// Groups of replicas and partitions are compared with mhlo.num_replicas and mhlo.num_partitions
// where the module has them. docs/stablehlo.md lists the constraints that no text can break.
#pragma once

#include "systolic/stablehlo/program.h"

namespace systolic::inline v0 {
namespace stablehlo {

void verify(const Program& program);

}  // namespace stablehlo
}  // namespace systolic::inline v0
