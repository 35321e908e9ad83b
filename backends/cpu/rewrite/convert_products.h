// dot_general and convolution of types that no kernel computes with become those of types that one
// does, between conversions: i16 times i16 to i32, f8 times f8 to f32, bf16 times f32.
#pragma once

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

// Whole numbers are computed with in the result's type, in which they wrap as the exact product
// would; floats in f32, or f64 where one is in it, and are rounded to the result's type once.
void convert_products(ir::Module& module);

}  // namespace cpu
}  // namespace systolic::inline v0
