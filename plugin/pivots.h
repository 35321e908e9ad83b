// Applies the row exchanges of an LU decomposition to the rows' numbers, as one function. JAX has a
// loop of a few ops per row for it, which takes longer than decomposing a matrix of 16 rows.
#pragma once

namespace systolic::inline v0 {
namespace plugin {

// Programs may now call "systolic_lu_pivots_to_permutation": i32[..., k] to i32[..., m], where row
// number i was exchanged with row pivots[i], one i at a time, in order, and m >= k. A pivot outside
// [0, m) exchanges nothing.
void register_pivots_to_permutation();

}  // namespace plugin
}  // namespace systolic::inline v0
