// Arithmetic on single elements, as StableHLO and XLA define it.
//
// Integers wrap. Division by zero gives -1 (all bits set), the lowest number divided by -1 itself;
// the remainder by zero is the left side. Shifts by the width or more give 0 or the sign. maximum
// and minimum propagate NaN. f32 is computed in f64 and rounded once; smaller floats in f32.
#pragma once

#include <complex>
#include <cstdint>

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

// What the three are made for: DO(T) for every host type of an element.
// clang-format off
#define SYSTOLIC_FOR_EACH_ELEMENT_TYPE(DO) \
  DO(bool) \
  DO(int8_t) DO(int16_t) DO(int32_t) DO(int64_t) \
  DO(uint8_t) DO(uint16_t) DO(uint32_t) DO(uint64_t) \
  DO(float8_e4m3fn) DO(float8_e5m2) DO(bfloat16) DO(float16) DO(float) DO(double) \
  DO(std::complex<float>) DO(std::complex<double>)
// clang-format on

// The 4-bit types live in bytes: keeps the value of the low four bits.
inline int8_t wrap_i4(int8_t x) { return static_cast<int8_t>(static_cast<int8_t>(x << 4) >> 4); }
inline uint8_t wrap_u4(uint8_t x) { return x & 15u; }

}  // namespace interpreter
}  // namespace systolic::inline v0
