// A product of a loop that multiplies one row of an array in each trip is a row of the product of
// the whole array: the inputs of a recurrent layer meet their weights once, before the first step.
#pragma once

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

//   while: ... dot(x[t], w)   becomes   all = dot(x, w); while: ... all[t]
//
// where neither x nor w changes over the trips, most rows are multiplied, and `all` is no more than
// sixteen times as large as x.
void hoist_products(ir::Module& module);

}  // namespace cpu
}  // namespace systolic::inline v0
