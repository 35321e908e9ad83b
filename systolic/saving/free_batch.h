// A program for batches of any size, from two for batches of fixed ones. Internal to saving.
//
// This library's programs have fixed sizes. What differs between the same program for 7 rows and
// for 11 is the batch: those sizes become "?", and ops whose results have them get the sizes as an
// operand (dynamic_broadcast_in_dim, dynamic_reshape and so on; StableHLO docs/spec.md).
#pragma once

#include "systolic/stablehlo/program.h"

namespace systolic::inline v0 {
namespace saving {

// `program` and `other` are parsed from programs that are alike except their rows. An op that
// counts rows in another way, such as a mean over the batch, is an Unimplemented that names it.
void free_batch(stablehlo::Program& program, int64_t rows, const stablehlo::Program& other,
                int64_t other_rows);

}  // namespace saving
}  // namespace systolic::inline v0
