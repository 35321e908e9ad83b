// Zeros around a picture are a convolution's own padding, and what is cut off its result need not
// be computed: a layer that pads before a convolution, and the gradient of one, make no array of
// their own.
#pragma once

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

// convolution(pad(x)) = convolution(x) with more padding, where zeros are added along axes of the
// picture alone, not more of them than windows reach over; slice(convolution(x)) = convolution(x)
// with less, where only the slice reads it and cuts along these axes.
void fold_padding(ir::Module& module);

}  // namespace cpu
}  // namespace systolic::inline v0
