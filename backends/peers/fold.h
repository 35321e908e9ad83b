// Folding two arrays into one, element by element: what an all_reduce does with two parts.
#pragma once

#include <cstddef>

#include "systolic/core/dtype.h"
#include "systolic/ir/op_code.h"

namespace systolic::inline v0 {
namespace peers {

// out[i] = fold(a[i], b[i]); `out` may be `a` or `b`. A bf16 or f16 sum is rounded once.
using FoldArrays = void (*)(void* out, const void* a, const void* b, size_t elements);

// add, multiply, maximum, minimum of numbers (NaN wins in the latter two), and, or, xor of integers
// and bools, and add and multiply of complex numbers. Unimplemented for anything else, and for sums
// and products of integers of 4 bits, which would have to wrap.
FoldArrays fold_arrays(DType dtype, ir::OpCode fold);
// Whether there is one.
bool can_fold(DType dtype, ir::OpCode fold);

}  // namespace peers
}  // namespace systolic::inline v0
