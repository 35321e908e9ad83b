// Dropout keeps an element where a number drawn from [0, 1) reaches the rate. The number is an
// integer of random bits times a power of two, and whether it reaches a known one is a question to
// the bits themselves.
#pragma once

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

// Where compare(GE or LT) asks convert(bits >> n) * 2^-m (+ 0) of u32 bits against a constant, it
// asks the bits against a constant of theirs. Exact: n is at least 8, so that the integer is an
// f32.
void compare_draws(ir::Module& module);

}  // namespace cpu
}  // namespace systolic::inline v0
