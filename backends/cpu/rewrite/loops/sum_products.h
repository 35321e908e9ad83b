// A loop that adds a product in each trip to what it carries sums over its trips as well as over
// the product's own axes: one product after the loop does both, faster than many small ones. So are
// the gradients of a recurrent layer's weights summed over its steps.
#pragma once

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

//   while: sum += dot(a, b)   becomes   while: as[t] = a, bs[t] = b; sum += dot(as, bs)
//
// where the loop reads the sum for nothing else, how often it runs is known, and a and b are
// together no larger than the sum, so that to keep them takes less than to add it up. A factor that
// is a row of an array from outside is not kept again.
void sum_products(ir::Module& module);

}  // namespace cpu
}  // namespace systolic::inline v0
