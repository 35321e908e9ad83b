// Element types that backends have no arrays of: integers of 2 bits, floats of 4 and 6 bits, and
// the 8-bit floats that core lacks.
//
// An array of them is held in integers of 8 bits: the number itself for i2 and ui2, the bits of a
// float. An op that computes does so with the numbers (i2 and ui2 in their 8 bits; floats in f32,
// f8E8M0FNU in f64), and what it gives is rounded once. Ops that only move elements move the 8
// bits.
//
// The formats: StableHLO docs/spec.md, "Types"; OCP Microscaling Formats (MX) 1.0.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "systolic/ir/builder/builder.h"
#include "systolic/stablehlo/element_type.h"

namespace systolic::inline v0 {
namespace stablehlo {

// Bits of one element as StableHLO counts them: 1 of i1, 64 of complex<f32>; 0 of index and none.
int element_bits(ElementType type);

// What arrays of the type are held in: its own DType, or 8 bits for a narrow one. Nothing for tf32,
// index and none.
std::optional<DType> held_in(ElementType type);

// Is it one of the types in this file?
bool is_narrow(ElementType type);
bool is_narrow_float(ElementType type);
// What ops compute with: i8, ui8, f32 or f64.
DType numbers_type(ElementType narrow);

// Does the op compute with narrow elements, besides the ops that compute with quantized ones?
bool computes_with_narrow(std::string_view op);

// From what is held to the numbers, and back: to nearest, ties to even. A number that is too large
// becomes an infinity, else NaN, else the largest number, whichever the type has first; NaN becomes
// -0 in a type without one; f8E8M0FNU has no 0 and no sign: 0 becomes its smallest number, -1 NaN.
// Integers wrap.
ir::Value narrow_to_numbers(ir::Value held, ElementType narrow);
ir::Value numbers_to_narrow(ir::Value numbers, ElementType narrow);

// The same for one float, by a search among all numbers of the type.
double narrow_float_number(uint8_t bits, ElementType narrow);
uint8_t narrow_float_bits(double number, ElementType narrow);

// The elements' bits as elements of another type, where one has fewer than 8 bits; the first
// element holds the lowest bits. `held` has element_bits(from) bits an element, `result` is the
// requested type.
ir::Value bitcast_narrow(ir::Value held, ElementType from, ElementType to, const Shape& result);

}  // namespace stablehlo
}  // namespace systolic::inline v0
