// Arithmetic on single elements, as StableHLO and XLA define it.
//
// Integers wrap. Division by zero gives -1 (all bits set), the lowest number divided by -1 itself;
// the remainder by zero is the left side. Shifts by the width or more give 0 or the sign. maximum
// and minimum propagate NaN. f32 is computed in f64 and rounded once; smaller floats in f32.
#pragma once

#include "systolic/core/dtype.h"
#include "systolic/ir/attributes.h"
#include "systolic/ir/op_code.h"

namespace systolic::inline v0 {
namespace interpreter {

template <class T>
T apply_unary(ir::OpCode code, T x);
template <class T>
T apply_binary(ir::OpCode code, T a, T b);
template <class T>
bool apply_compare(const ir::CompareAttributes& compare, T a, T b);

// The 4-bit types live in bytes: puts the value of the low four bits back.
inline int8_t wrap_i4(int8_t x) { return static_cast<int8_t>(static_cast<int8_t>(x << 4) >> 4); }
inline uint8_t wrap_u4(uint8_t x) { return x & 15u; }

}  // namespace interpreter
}  // namespace systolic::inline v0
