// A factor for each channel of a convolution's result may as well multiply the convolution's
// kernel, which is smaller: convolution(x, w) * s = convolution(x, w * s). A batch normalization
// that uses its averages is such a factor and an offset.
#pragma once

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

// Does so where kernel and factor are computed from parameters alone, which the program does not
// change: w * s is then made once for many predictions (PreparedSteps). An offset for each channel
// that is added between the two is multiplied as well. f32 and f64, in which the product of kernel
// and factor is rounded as finely as the result.
ir::Module scale_kernels(const ir::Module& module);

}  // namespace cpu
}  // namespace systolic::inline v0
