// What the row exchanges of an LU decomposition do to the rows' numbers, as one function instead of
// the loop of a few ops a row that JAX has for it: that takes longer than decomposing a matrix of
// 16 rows.
#pragma once

namespace systolic::inline v0 {
namespace plugin {

// Programs may now call "systolic_lu_pivots_to_permutation": i32[..., k] to i32[..., m], where row
// number i was exchanged with row pivots[i], one i after the other, and m >= k. A pivot outside
// [0, m) exchanges nothing.
void register_pivots_to_permutation();

}  // namespace plugin
}  // namespace systolic::inline v0
