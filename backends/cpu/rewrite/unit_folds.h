// Gradients of broadcasts are sums over the axes that were added, also where those have one element
// only.
#pragma once

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

// A reduce along axes of size 1, from its neutral element, becomes a reshape.
void reshape_unit_folds(ir::Module& module);

}  // namespace cpu
}  // namespace systolic::inline v0
