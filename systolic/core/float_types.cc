#include "systolic/core/float_types.h"

#include <cmath>

namespace systolic::inline v0 {
namespace {

// A small binary float: one sign bit, `exponent_bits`, `mantissa_bits`, bias as in IEEE 754.
// With `has_infinity` the largest exponent means infinity and NaN; without, only all ones is NaN.
template <int exponent_bits, int mantissa_bits, bool has_infinity>
struct SmallFloat {
  static constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  static constexpr uint32_t magnitude_mask = (1u << (exponent_bits + mantissa_bits)) - 1;
  static constexpr uint32_t infinity = ((1u << exponent_bits) - 1) << mantissa_bits;
  static constexpr uint32_t quiet_nan =
      has_infinity ? infinity | (1u << (mantissa_bits - 1)) : magnitude_mask;
  static constexpr uint32_t first_normal_as_float = static_cast<uint32_t>(127 + 1 - bias) << 23;
  // The step between subnormal numbers and its inverse, as float bits.
  static constexpr uint32_t step_bits = static_cast<uint32_t>(127 + 1 - bias - mantissa_bits) << 23;
  static constexpr uint32_t inverse_step_bits =
      static_cast<uint32_t>(127 - 1 + bias + mantissa_bits) << 23;

  static uint32_t encode(float value) {
    const uint32_t word = std::bit_cast<uint32_t>(value);
    const uint32_t sign = (word >> 31) << (exponent_bits + mantissa_bits);
    const uint32_t magnitude = word & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return sign | quiet_nan;
    return sign | (magnitude < first_normal_as_float ? encode_subnormal(magnitude)
                                                     : encode_normal(magnitude));
  }

  static float decode(uint32_t bits) {
    const uint32_t magnitude = bits & magnitude_mask;
    const uint32_t sign = (bits >> (exponent_bits + mantissa_bits)) << 31;
    const uint32_t exponent = magnitude >> mantissa_bits;
    if (exponent == 0) {
      const float value = static_cast<float>(magnitude) * std::bit_cast<float>(step_bits);
      return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(value));
    }
    uint32_t word = (magnitude << (23 - mantissa_bits)) + (static_cast<uint32_t>(127 - bias) << 23);
    if (has_infinity ? magnitude >= infinity : magnitude == quiet_nan) {
      word = 0x7f800000u | (magnitude == infinity && has_infinity ? 0u : 0x400000u);
    }
    return std::bit_cast<float>(sign | word);
  }

 private:
  // Adding 2^23 makes the processor round to a whole number of steps, ties to even.
  static uint32_t encode_subnormal(uint32_t magnitude) {
    const float steps =
        std::bit_cast<float>(magnitude) * std::bit_cast<float>(inverse_step_bits) + 8388608.0f;
    return std::bit_cast<uint32_t>(steps) & 0x7fffffu;
  }

  static uint32_t encode_normal(uint32_t magnitude) {
    constexpr int shift = 23 - mantissa_bits;
    const uint32_t rounded = magnitude + ((1u << (shift - 1)) - 1) + ((magnitude >> shift) & 1u);
    const uint32_t result =
        (rounded >> shift) - (static_cast<uint32_t>(127 - bias) << mantissa_bits);
    return result < quiet_nan && (!has_infinity || result < infinity) ? result
           : has_infinity                                             ? infinity
                                                                      : quiet_nan;
  }
};

using Float16 = SmallFloat<5, 10, true>;
using Float8E4M3FN = SmallFloat<4, 3, false>;
using Float8E5M2 = SmallFloat<5, 2, true>;

}  // namespace

float float16_to_float(uint16_t bits) { return Float16::decode(bits); }
uint16_t float_to_float16(float value) { return static_cast<uint16_t>(Float16::encode(value)); }
float float8_e4m3fn_to_float(uint8_t bits) { return Float8E4M3FN::decode(bits); }
uint8_t float_to_float8_e4m3fn(float value) {
  return static_cast<uint8_t>(Float8E4M3FN::encode(value));
}
float float8_e5m2_to_float(uint8_t bits) { return Float8E5M2::decode(bits); }
uint8_t float_to_float8_e5m2(float value) {
  return static_cast<uint8_t>(Float8E5M2::encode(value));
}

}  // namespace systolic::inline v0
