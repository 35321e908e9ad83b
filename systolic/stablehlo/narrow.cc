#include "systolic/stablehlo/narrow.h"

#include <array>
#include <cmath>
#include <limits>

#include "systolic/base/error.h"
#include "systolic/stablehlo/chlo/chlo_formulas.h"
#include "systolic/stablehlo/probe_function.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

using E = ElementType;
using ir::OpCode;

// What the codes above the largest number mean.
enum class Above {
  infinity,  // an infinity, then NaNs
  nan,       // nothing: the code of -0 is the only NaN
  last,      // one NaN, of all ones
  largest,   // nothing, and there is no NaN
};

struct Format {
  E type;
  int exponent_bits, mantissa_bits, bias;
  Above above;
  bool has_sign = true;
  bool has_zero = true;  // exponent 0 is for subnormal numbers

  int magnitude_bits() const { return exponent_bits + mantissa_bits; }
  int codes() const { return 1 << magnitude_bits(); }
  int sign() const { return has_sign ? codes() : 0; }
  // The least code that is not a number.
  int limit() const {
    return above == Above::infinity ? codes() - (1 << mantissa_bits)
           : above == Above::last   ? codes() - 1
                                    : codes();
  }
  // The exponent of the least normal number.
  int least_exponent() const { return (has_zero ? 1 : 0) - bias; }
  int nan() const {
    switch (above) {
      case Above::infinity:
        return limit() + (1 << (mantissa_bits - 1));
      case Above::last:
        return limit();
      default:
        return sign();
    }
  }
};

constexpr Format formats[] = {
    {E::f4e2m1fn, 2, 1, 1, Above::largest},
    {E::f6e2m3fn, 2, 3, 1, Above::largest},
    {E::f6e3m2fn, 3, 2, 3, Above::largest},
    {E::f8e3m4, 3, 4, 3, Above::infinity},
    {E::f8e4m3, 4, 3, 7, Above::infinity},
    {E::f8e4m3b11fnuz, 4, 3, 11, Above::nan},
    {E::f8e4m3fnuz, 4, 3, 8, Above::nan},
    {E::f8e5m2fnuz, 5, 2, 16, Above::nan},
    {E::f8e8m0fnu, 8, 0, 127, Above::last, false, false},
};

const Format* find_format(E type) {
  for (const Format& format : formats) {
    if (format.type == type) return &format;
  }
  return nullptr;
}

const Format& format_of(E type) {
  if (const Format* found = find_format(type)) return *found;
  raise<Internal>({.what = str(info(type).name, " is not a narrow float")});
}

// The number of a code without its sign.
double magnitude(int code, const Format& f) {
  if (code >= f.limit()) {
    const bool infinite = f.above == Above::infinity && code == f.limit();
    return infinite ? std::numeric_limits<double>::infinity()
                    : std::numeric_limits<double>::quiet_NaN();
  }
  const int exponent = code >> f.mantissa_bits, mantissa = code & ((1 << f.mantissa_bits) - 1);
  const bool subnormal = f.has_zero && exponent == 0;
  const int whole = subnormal ? mantissa : mantissa + (1 << f.mantissa_bits);
  return std::ldexp(whole, (subnormal ? 1 : exponent) - f.bias - f.mantissa_bits);
}

// Floats of the width in which a formula computes.
struct Wide {
  DType bits;
  int mantissa, bias;
};

Wide wide_of(ir::Value x) {
  return x.dtype() == DType::f64 ? Wide{DType::i64, 52, 1023} : Wide{DType::i32, 23, 127};
}

ir::Value shifted(OpCode code, ir::Value x, int by) {
  return ir::binary(code, x, formula::like(x, by));
}
ir::Value masked(ir::Value x, int64_t mask) {
  return ir::binary(OpCode::and_, x, formula::like(x, static_cast<double>(mask)));
}
ir::Value same_bits(ir::Value x, DType dtype) { return ir::bitcast_convert(x, {dtype, x.shape()}); }

// 2^exponent, of integers that are exponents of normal numbers.
ir::Value power_of_two(ir::Value exponent, const Wide& wide, DType dtype) {
  return same_bits(shifted(OpCode::shift_left, exponent + wide.bias, wide.mantissa), dtype);
}

ir::Value decoded(ir::Value held, const Format& f) {
  const DType dtype = numbers_type(f.type);
  const Wide wide = wide_of(held.builder().filled(dtype, {}, 0));
  const ir::Value bits = ir::convert(held, wide.bits), code = masked(bits, f.codes() - 1);
  const ir::Value exponent = shifted(OpCode::shift_right_logical, code, f.mantissa_bits);
  const ir::Value normal =
      same_bits(shifted(OpCode::shift_left, code, wide.mantissa - f.mantissa_bits) +
                    std::ldexp(wide.bias - f.bias, wide.mantissa),
                dtype);
  ir::Value number = normal;
  if (f.has_zero) {
    const ir::Value subnormal =
        ir::convert(code, dtype) * std::ldexp(1, 1 - f.bias - f.mantissa_bits);
    number = ir::select(formula::equal(exponent, 0), subnormal, normal);
  }
  if (f.above == Above::infinity || f.above == Above::last) {
    const ir::Value nan = formula::like(number, std::numeric_limits<double>::quiet_NaN());
    number = ir::select(formula::less(code, f.limit()), number, nan);
    if (f.above == Above::infinity) {
      const ir::Value infinity = formula::like(number, std::numeric_limits<double>::infinity());
      number = ir::select(formula::equal(code, f.limit()), infinity, number);
    }
  }
  if (!f.has_sign) return number;
  const ir::Value negative = formula::greater(bits, f.sign() - 1);
  number = ir::select(negative, -number, number);
  if (f.above != Above::nan) return number;
  const ir::Value nan = formula::like(number, std::numeric_limits<double>::quiet_NaN());
  return ir::select(formula::equal(bits, f.nan()), nan, number);
}

// The code of |x|, as if there were one for every number: round(|x| / 2^(e - mantissa bits)) counts
// from the start of the binade 2^e, and the binades follow one another.
ir::Value code_of_magnitude(ir::Value magnitude, const Format& f, const Wide& wide) {
  const ir::Value bits = same_bits(magnitude, wide.bits);
  const ir::Value exponent = formula::max(
      shifted(OpCode::shift_right_logical, bits, wide.mantissa) - static_cast<double>(wide.bias),
      formula::like(bits, f.least_exponent()));
  const ir::Value unit =
      power_of_two(static_cast<double>(f.mantissa_bits) - exponent, wide, magnitude.dtype());
  const ir::Value count =
      ir::convert(ir::unary(OpCode::round_nearest_even, magnitude * unit), wide.bits);
  const ir::Value binades = exponent - static_cast<double>(f.least_exponent());
  const ir::Value code = count + shifted(OpCode::shift_left, binades, f.mantissa_bits);
  return f.has_zero ? code : formula::max(code - 1.0, formula::like(code, 0));
}

ir::Value encoded(ir::Value number, const Format& f) {
  const ir::Value x =
      number.dtype() == DType::f64 ? number : ir::convert(number, numbers_type(f.type));
  const Wide wide = wide_of(x);
  // Twice what rounds to the largest number is far enough.
  const ir::Value beyond = formula::like(x, 4 * magnitude(f.limit() - 1, f));
  const ir::Value code = code_of_magnitude(formula::min(formula::abs(x), beyond), f, wide);
  const ir::Value limit = formula::like(code, f.limit()), nan = formula::like(code, f.nan());
  const ir::Value over = ir::compare(code, limit, ir::Direction::ge);
  const ir::Value largest = formula::like(code, f.limit() - 1);
  ir::Value result = ir::select(over, f.above == Above::largest ? largest : limit, code);
  const ir::Value sign_bits = same_bits(x, wide.bits);
  const ir::Value negative = formula::less(sign_bits, 0);
  const ir::Value zero = formula::like(code, 0);
  ir::Value is_nan = ir::compare(x, x, ir::Direction::ne);
  if (f.has_sign) {
    ir::Value signed_code = result + formula::like(code, f.sign());
    if (f.above == Above::nan) {  // there is no -0
      signed_code = ir::select(formula::equal(result, 0), zero, signed_code);
      is_nan = ir::binary(OpCode::or_, is_nan, over);
    }
    result = ir::select(negative, signed_code, result);
  } else {
    is_nan = ir::binary(OpCode::or_, is_nan, formula::less(x, 0));
  }
  return ir::convert(ir::select(is_nan, nan, result), DType::u8);
}

// The bits of an element as the lowest of an unsigned integer.
DType unsigned_of(int bits) {
  return bits <= 8 ? DType::u8 : bits == 16 ? DType::u16 : bits == 32 ? DType::u32 : DType::u64;
}

ir::Value codes_of(ir::Value held, E type) {
  const int width = element_bits(type);
  if (width >= 8) return same_bits(held, unsigned_of(width));
  return masked(ir::convert(held, DType::u8), (1 << width) - 1);
}

ir::Value from_codes(ir::Value codes, E type) {
  const DType dtype = *held_in(type);
  const int width = element_bits(type);
  if (width >= 8) return same_bits(codes, dtype);
  if (dtype == DType::pred) return ir::compare(codes, 0, ir::Direction::ne);
  if (!is_signed_integer(dtype)) return ir::convert(codes, dtype);
  const ir::Value high = shifted(OpCode::shift_left, same_bits(codes, DType::i8), 8 - width);
  return ir::convert(shifted(OpCode::shift_right_arithmetic, high, 8 - width), dtype);
}

}  // namespace

int element_bits(ElementType type) {
  return type == E::tf32 ? 32 : info(type).bits;  // which is held as f32
}

std::optional<DType> held_in(ElementType type) {
  if (type == E::i2) return DType::i8;
  return is_narrow(type) ? DType::u8 : info(type).dtype;
}

bool is_narrow_float(ElementType type) { return find_format(type) != nullptr; }

bool is_narrow(ElementType type) {
  return type == E::i2 || type == E::ui2 || is_narrow_float(type);
}

DType numbers_type(ElementType narrow) {
  if (!is_narrow_float(narrow)) return *held_in(narrow);
  return narrow == E::f8e8m0fnu ? DType::f64 : DType::f32;  // f32 has no normal 2^-127
}

bool computes_with_narrow(std::string_view op) {
  constexpr std::string_view others[] = {"stablehlo.convert",      "stablehlo.iota",
                                         "stablehlo.dynamic_iota", "stablehlo.rng",
                                         "stablehlo.custom_call",  probe_function};
  for (std::string_view other : others) {
    if (other == op) return true;
  }
  return op.substr(0, 6) == "check.";
}

ir::Value narrow_to_numbers(ir::Value held, ElementType narrow) {
  return is_narrow_float(narrow) ? decoded(held, format_of(narrow)) : held;
}

ir::Value numbers_to_narrow(ir::Value numbers, ElementType narrow) {
  if (is_narrow_float(narrow)) return encoded(numbers, format_of(narrow));
  return from_codes(masked(same_bits(numbers, DType::u8), 3), narrow);
}

double narrow_float_number(uint8_t bits, ElementType narrow) {
  const Format& f = format_of(narrow);
  if (f.above == Above::nan && bits == f.nan()) return std::numeric_limits<double>::quiet_NaN();
  const double number = magnitude(bits & (f.codes() - 1), f);
  return f.has_sign && (bits & f.sign()) != 0 ? -number : number;
}

uint8_t narrow_float_bits(double number, ElementType narrow) {
  const Format& f = format_of(narrow);
  const auto bits = [](int code) { return static_cast<uint8_t>(code); };
  if (std::isnan(number) || (!f.has_sign && number < 0)) return bits(f.nan());
  const double size = std::fabs(number);
  // The first code whose number is not below, and the one before: the nearer, or the even one. The
  // number after the largest is as far from it as the one before.
  int code = 0;
  while (code < f.limit() && magnitude(code, f) < size) ++code;
  if (code == f.limit()) {
    const double last = magnitude(code - 1, f);
    const double next = f.has_zero ? 2 * last - magnitude(code - 2, f) : 2 * last;
    const double middle = last + (next - last) / 2;
    const bool back = size < middle || (size == middle && (code - 1) % 2 == 0 && f.has_zero);
    if (back) --code;
  } else if (code > 0 && magnitude(code, f) != size) {
    const double below = size - magnitude(code - 1, f), above = magnitude(code, f) - size;
    // Powers of two are odd multiples of themselves: of two the upper one is even.
    const bool even_below = f.has_zero && code % 2 == 1;
    if (below < above || (below == above && even_below)) --code;
  }
  const int sign = std::signbit(number) ? f.sign() : 0;
  if (code == f.limit()) {
    if (f.above == Above::nan || f.above == Above::last) return bits(f.nan());
    if (f.above == Above::largest) --code;
  }
  const bool no_negative_zero = f.above == Above::nan && code == 0;
  return bits(no_negative_zero ? 0 : code | sign);
}

ir::Value bitcast_narrow(ir::Value held, ElementType from, ElementType to, const Shape& result) {
  const int width = element_bits(from), wanted = element_bits(to);
  const ir::Value codes = codes_of(held, from);
  if (width == wanted) return from_codes(codes, to);
  ir::Builder& b = held.builder();
  if (width < wanted) {
    const int64_t last = held.rank() - 1;
    const ir::Value wide = ir::convert(codes, unsigned_of(wanted));
    const ir::Value places = b.iota(wide.type(), last) * static_cast<double>(width);
    const ir::Value spread = ir::binary(OpCode::shift_left, wide, places);
    return from_codes(ir::reduce(spread, OpCode::or_, {last}), to);
  }
  ir::Axes axes;
  for (int64_t axis = 0; axis < held.rank(); ++axis) axes.push_back(axis);
  const ir::Value repeated = ir::broadcast_in_dim(codes, result, axes);
  const ir::Value places = b.iota(repeated.type(), result.rank() - 1) * static_cast<double>(wanted);
  const ir::Value parts = ir::binary(OpCode::shift_right_logical, repeated, places);
  return from_codes(ir::convert(masked(parts, (1 << wanted) - 1), DType::u8), to);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
