// The small floats that C++20 lacks: storage types that convert to and from float.
//
// Conversion from float rounds to nearest, ties to even; NaN stays NaN. f8e4m3fn has no infinity:
// what is too large becomes NaN, as in StableHLO. Arithmetic goes through float.
#pragma once

#include <bit>
#include <cstdint>

namespace systolic::inline v0 {

// The value of an IEEE binary16 with these bits (5 of the exponent, 10 of the mantissa); exact.
float float16_to_float(uint16_t bits);
// The bits of the nearest binary16; infinity where the value is too large.
uint16_t float_to_float16(float value);
// The value of a float8_e4m3fn with these bits; exact.
float float8_e4m3fn_to_float(uint8_t bits);
// The bits of the nearest float8_e4m3fn; NaN where the value is too large.
uint8_t float_to_float8_e4m3fn(float value);
// The value of a float8_e5m2 with these bits; exact.
float float8_e5m2_to_float(uint8_t bits);
// The bits of the nearest float8_e5m2; infinity where the value is too large.
uint8_t float_to_float8_e5m2(float value);

// The upper half of a float: 8 exponent bits, 7 mantissa bits. A TPU's own type.
struct bfloat16 {
  uint16_t bits = 0;
  constexpr bfloat16() = default;
  constexpr explicit bfloat16(float value) : bits(round(value)) {}
  static constexpr bfloat16 from_bits(uint16_t bits) {
    bfloat16 result;
    result.bits = bits;
    return result;
  }
  constexpr operator float() const {  // NOLINT: widening is exact
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }

 private:
  static constexpr uint16_t round(float value) {
    const uint32_t word = std::bit_cast<uint32_t>(value);
    if ((word & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((word >> 16) | 0x40u);
    return static_cast<uint16_t>((word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
  }
};

// IEEE binary16.
struct float16 {
  uint16_t bits = 0;
  constexpr float16() = default;
  explicit float16(float value) : bits(float_to_float16(value)) {}
  static constexpr float16 from_bits(uint16_t bits) {
    float16 result;
    result.bits = bits;
    return result;
  }
  operator float() const { return float16_to_float(bits); }  // NOLINT: widening is exact
};

// 4 bits of exponent and 3 of mantissa, up to 448, without infinities (Micikevicius et al. 2022,
// arXiv 2209.05433).
struct float8_e4m3fn {
  uint8_t bits = 0;
  constexpr float8_e4m3fn() = default;
  explicit float8_e4m3fn(float value) : bits(float_to_float8_e4m3fn(value)) {}
  operator float() const { return float8_e4m3fn_to_float(bits); }  // NOLINT: widening is exact
};

// 5 bits of exponent and 2 of mantissa, up to 57344, with infinities: the upper half of a float16
// (same paper).
struct float8_e5m2 {
  uint8_t bits = 0;
  constexpr float8_e5m2() = default;
  explicit float8_e5m2(float value) : bits(float_to_float8_e5m2(value)) {}
  operator float() const { return float8_e5m2_to_float(bits); }  // NOLINT: widening is exact
};

}  // namespace systolic::inline v0
