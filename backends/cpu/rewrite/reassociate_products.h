// The order of a chain of matrix products: (A B) C is A (B C), and one may be many times cheaper.
//
// A classifier reads the first of a transformer's positions, so that of the last layer's attention
// one query is left. Keys of all positions are made for it, of features X and weights W:
//
//   keys   [batch, positions, heads, size] = reshape(X [batch, positions, features] . W + bias)
//   scores [batch, heads, 1, positions]    = query [batch, 1, heads, size] . keys
//
// The query may meet the weights first:
//
//   u      [heads, batch, 1, features]     = query . W [features, heads, size]
//   scores [batch, heads, 1, positions]    = u . X  +  query . bias
//
// which takes 1 / positions + 1 / size of the operations. What weighs the values, [batch, heads, 1,
// positions], sums X over the positions first and then meets W; their bias is multiplied by the sum
// of what weighs them.
#pragma once

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

struct ReassociateOptions {
  // Floating-point operations by which a chain must become cheaper. By default what takes a
  // processor some tenths of a millisecond at the speed of large products: below that the steps
  // themselves, transposes, and kernels that run slower on fewer rows weigh as much.
  double least_saving = 1 << 24;
};

// Changes the order where a dot_general reads another one, through at most the addition of a bias
// along the columns of that one's right operand and then a reshape that keeps rows and columns
// apart, if that takes half of the operations or less and no larger array in between. What lies
// between the two products must be read by nobody else, as it is not computed any more, and all
// must be f32.
//
// Either way the error of an element is within gamma(n) times that element of |A| |B| |C| (with
// |bias|), n being the terms of both sums and the bias: Higham, "Accuracy and Stability of
// Numerical Algorithms", section 3.5, applied twice. The bits differ. So do infinities, and NaN
// made of them, where one order's intermediate overflows and the other's does not. XLA does the
// same if told to (use_associative_reordering).
void reassociate_products(ir::Module& module, const ReassociateOptions& options = {});

}  // namespace cpu
}  // namespace systolic::inline v0
