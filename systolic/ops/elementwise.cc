#include "systolic/ops/elementwise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "systolic/base/error.h"
#include "systolic/stablehlo/chlo/chlo_formulas.h"
#include "systolic/trace/operand.h"
#include "systolic/trace/ops/control_flow.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {
namespace ops {
namespace {

using ir::OpCode;

// What takes f32 and f64 takes narrower floats as f32.
Tensor by_formula(ir::Value (*formula)(ir::Value), const Operand& x, std::string_view name) {
  const ir::Value value = floating(x, name);
  if (is_complex(value.dtype()) || byte_width(value.dtype()) >= byte_width(DType::f32))
    return wrap(formula(value));
  return wrap(ir::convert(formula(ir::convert(value, DType::f32)), value.dtype()));
}

Tensor one_float(OpCode code, const Operand& x, std::string_view name) {
  return wrap(ir::unary(code, floating(x, name)));
}

// Two operands of one type and shape.
struct Pair {
  Tensor a, b;
};
Pair pair_of(const Operand& a, const Operand& b, std::string_view name) {
  const auto [x, y] = aligned(a, b, name);
  return {wrap(x), wrap(y)};
}

Tensor two_integers(OpCode code, const Operand& a, const Operand& b, std::string_view name) {
  const auto [x, y] = aligned(a, b, name);
  if (is_integer(x.dtype()) || x.dtype() == DType::pred) return wrap(ir::binary(code, x, y));
  raise<InvalidArgument>({.what = str(name, " of ", to_string(x.type())),
                          .wanted = "integers",
                          .location = a.location});
}

Tensor equal_to(const Operand& x, double number) {
  const Tensor value = wrap(alone(x));
  if (!is_float(value.dtype())) return v0::zeros(value.shape(), DType::pred);
  return value == number;
}

Tensor real_or_self(const Operand& x) {
  const ir::Value value = alone(x);
  return is_complex(value.dtype()) ? wrap(ir::unary(OpCode::real, value)) : wrap(value);
}

}  // namespace

// clang-format off
Tensor absolute(Operand x) { return v0::abs(x); }
Tensor fabs(Operand x) { return v0::abs(x); }
Tensor arccos(Operand x) { return by_formula(stablehlo::acos, x, "arccos"); }
Tensor arccosh(Operand x) { return by_formula(stablehlo::acosh, x, "arccosh"); }
Tensor arcsin(Operand x) { return by_formula(stablehlo::asin, x, "arcsin"); }
Tensor arcsinh(Operand x) { return by_formula(stablehlo::asinh, x, "arcsinh"); }
Tensor arctan(Operand x) { return by_formula(stablehlo::atan, x, "arctan"); }
Tensor arctanh(Operand x) { return by_formula(stablehlo::atanh, x, "arctanh"); }
Tensor bitwise_invert(Operand x) { return wrap(ir::unary(OpCode::not_, alone(x))); }
Tensor bitwise_not(Operand x) { return bitwise_invert(x); }
Tensor cbrt(Operand x) { return one_float(OpCode::cbrt, x, "cbrt"); }
Tensor conjugate(Operand x) { return conj(x); }
Tensor cosh(Operand x) { return by_formula(stablehlo::cosh, x, "cosh"); }
Tensor deg2rad(Operand x) { return wrap(floating(x, "deg2rad")) * (std::numbers::pi / 180); }
Tensor erfc(Operand x) { return by_formula(stablehlo::erfc, x, "erfc"); }
Tensor erfinv(Operand x) { return by_formula(stablehlo::erf_inv, x, "erfinv"); }
Tensor exp2(Operand x) { return v0::exp(wrap(floating(x, "exp2")) * std::numbers::ln2); }
Tensor isfinite(Operand x) { return v0::is_finite(x); }
Tensor isinf(Operand x) { return v0::logical_or(isposinf(x), isneginf(x)); }
Tensor isnan(Operand x) { return v0::is_nan(x); }
Tensor isneginf(Operand x) { return equal_to(x, -std::numeric_limits<double>::infinity()); }
Tensor isposinf(Operand x) { return equal_to(x, std::numeric_limits<double>::infinity()); }
Tensor isreal(Operand x) { return imag(x) == 0; }
Tensor log10(Operand x) { return v0::log(x) * std::numbers::log10e; }
Tensor log2(Operand x) { return v0::log(x) * std::numbers::log2e; }
Tensor negative(Operand x) { return wrap(-alone(x)); }
Tensor rad2deg(Operand x) { return wrap(floating(x, "rad2deg")) * (180 / std::numbers::pi); }
Tensor real(Operand x) { return real_or_self(x); }
Tensor reciprocal(Operand x) { return 1.0 / wrap(floating(x, "reciprocal")); }
Tensor sinh(Operand x) { return by_formula(stablehlo::sinh, x, "sinh"); }

Tensor arctan2(Operand y, Operand x) { return v0::atan2(y, x); }
Tensor bitwise_and(Operand a, Operand b) { return two_integers(OpCode::and_, a, b, "bitwise_and"); }
Tensor bitwise_or(Operand a, Operand b) { return two_integers(OpCode::or_, a, b, "bitwise_or"); }
Tensor bitwise_xor(Operand a, Operand b) { return two_integers(OpCode::xor_, a, b, "bitwise_xor"); }
Tensor bitwise_left_shift(Operand x, Operand bits) { return two_integers(OpCode::shift_left, x, bits, "left_shift"); }
Tensor left_shift(Operand x, Operand bits) { return bitwise_left_shift(x, bits); }
Tensor right_shift(Operand x, Operand bits) { return bitwise_right_shift(x, bits); }
Tensor fmod(Operand a, Operand b) { const auto [x, y] = aligned(a, b, "fmod"); return wrap(ir::binary(OpCode::remainder, x, y)); }
Tensor greater_equal(Operand a, Operand b) { return a >= b; }
Tensor less_equal(Operand a, Operand b) { return a <= b; }
Tensor power(Operand a, Operand b) { return v0::pow(a, b); }
Tensor logical_xor(Operand a, Operand b) { return two_integers(OpCode::xor_, a, b, "logical_xor"); }
// clang-format on

Tensor angle(Operand x) {
  const Tensor value = wrap(alone(x));
  if (!is_complex(value.dtype())) return v0::where(value < 0, std::numbers::pi, 0 * value);
  return v0::atan2(imag(value), real(value));
}

Tensor conj(Operand x) {
  const ir::Value value = alone(x);
  return is_complex(value.dtype()) ? wrap(stablehlo::conj(value)) : wrap(value);
}

Tensor imag(Operand x) {
  const ir::Value value = alone(x);
  if (!is_complex(value.dtype())) return v0::zeros_like(wrap(value));
  return wrap(ir::unary(OpCode::imag, value));
}

Tensor polar(Operand length, Operand angle) {
  const Pair two = pair_of(length, angle, "polar");
  return wrap(
      stablehlo::formula::complex(alone(two.a * v0::cos(two.b)), alone(two.a * v0::sin(two.b))));
}

// Abramowitz and Stegun 1964, 9.8.1 and 9.8.2 are too coarse: a power series in (x/2)^2 up to 8,
// and exp(x) times the Chebyshev form of Cephes beyond, are within a few units of the last place.
Tensor i0(Operand x) {
  static constexpr double near[] = {
      -4.41534164647933937950E-18, 3.33079451882223809783E-17,  -2.43127984654795469359E-16,
      1.71539128555513303061E-15,  -1.16853328779934516808E-14, 7.67618549860493561688E-14,
      -4.85644678311192946090E-13, 2.95505266312963983461E-12,  -1.72682629144155570723E-11,
      9.67580903537323691224E-11,  -5.18979560163526290666E-10, 2.65982372468238665035E-9,
      -1.30002500998624804212E-8,  6.04699502254191894932E-8,   -2.67079385394061173391E-7,
      1.11738753912010371815E-6,   -4.41673835845875056359E-6,  1.64484480707288970893E-5,
      -5.75419501008210370398E-5,  1.88502885095841655729E-4,   -5.76375574538582365885E-4,
      1.63947561694133579842E-3,   -4.32430999505057594430E-3,  1.05464603945949983183E-2,
      -2.37374148058994688156E-2,  4.93052842396707084878E-2,   -9.49010970480476444210E-2,
      1.71620901522208775349E-1,   -3.04682672343198398683E-1,  6.76795274409476084995E-1};
  static constexpr double far[] = {
      -7.23318048787475395456E-18, -4.83050448594418207126E-18, 4.46562142029675999901E-17,
      3.46122286769746109310E-17,  -2.82762398051658348494E-16, -3.42548561967721913462E-16,
      1.77256013305652638360E-15,  3.81168066935262242075E-15,  -9.55484669882830764870E-15,
      -4.15056934728722208663E-14, 1.54008621752140982691E-14,  3.85277838274214270114E-13,
      7.18012445138366623367E-13,  -1.79417853150680611778E-12, -1.32158118404477131188E-11,
      -3.14991652796324136454E-11, 1.18891471078464383424E-11,  4.94060238822496958910E-10,
      3.39623202570838634515E-9,   2.26666899049817806459E-8,   2.04891858946906374183E-7,
      2.89137052083475648297E-6,   6.88975834691682398426E-5,   3.36911647825569408990E-3,
      8.04490411014108831608E-1};
  const Tensor size = v0::abs(wrap(floating(x, "i0")));
  const auto chebyshev = [](const Tensor& at, std::span<const double> coefficients) {
    Tensor b0 = v0::zeros_like(at), b1 = b0, b2 = b0;
    for (const double one : coefficients) {
      b2 = b1;
      b1 = b0;
      b0 = at * b1 - b2 + one;
    }
    return 0.5 * (b0 - b2);
  };
  const Tensor small = v0::minimum(size, 8.0), large = v0::maximum(size, 8.0);
  const Tensor scaled = v0::where(size <= 8.0, chebyshev(small / 2.0 - 2.0, near),
                                  chebyshev(32.0 / large - 2.0, far) * v0::rsqrt(large));
  return v0::exp(size) * scaled;
}

Tensor signbit(Operand x) {
  const ir::Value value = alone(x);
  if (!is_float(value.dtype())) return wrap(value) < 0;
  const int bytes = byte_width(value.dtype());
  const DType integer = bytes == 8   ? DType::i64
                        : bytes == 4 ? DType::i32
                        : bytes == 2 ? DType::i16
                                     : DType::i8;
  return wrap(ir::bitcast_convert(value, {integer, value.shape()})) < 0;
}

Tensor sinc(Operand x) {
  const Tensor value = wrap(floating(x, "sinc")), safe = v0::where(value == 0, 1.0, value);
  const Tensor angle = safe * std::numbers::pi;
  return v0::where(value == 0, 1.0, v0::sin(angle) / angle);
}

Tensor trunc(Operand x) {
  const Tensor value = wrap(alone(x));
  if (!is_float(value.dtype())) return value;
  return v0::where(value < 0, v0::ceil(value), v0::floor(value));
}

Tensor bitwise_right_shift(Operand x, Operand bits) {
  const bool is_signed = is_signed_integer(alone(x).dtype());
  return two_integers(is_signed ? OpCode::shift_right_arithmetic : OpCode::shift_right_logical, x,
                      bits, "right_shift");
}

Tensor mod(Operand a, Operand b) {
  const Pair two = pair_of(a, b, "mod");
  const Tensor rest = fmod(two.a, two.b);
  const Tensor other_side = v0::logical_and(rest != 0, (rest < 0) != (two.b < 0));
  return v0::where(other_side, rest + two.b, rest);
}

Tensor floor_divide(Operand a, Operand b) {
  const Pair two = pair_of(a, b, "floor_divide");
  if (is_float(two.a.dtype())) return v0::floor(two.a / two.b);
  return (two.a - mod(two.a, two.b)) / two.b;
}

Tensor true_divide(Operand a, Operand b) {
  const Pair two = pair_of(a, b, "true_divide");
  if (is_float(two.a.dtype()) || is_complex(two.a.dtype())) return two.a / two.b;
  return v0::cast(two.a, DType::f32) / v0::cast(two.b, DType::f32);
}

Tensor fmax(Operand a, Operand b) {
  const Pair two = pair_of(a, b, "fmax");
  if (!is_float(two.a.dtype())) return v0::maximum(two.a, two.b);
  return v0::where(v0::is_nan(two.a), two.b,
                   v0::where(v0::is_nan(two.b), two.a, v0::maximum(two.a, two.b)));
}

Tensor fmin(Operand a, Operand b) {
  const Pair two = pair_of(a, b, "fmin");
  if (!is_float(two.a.dtype())) return v0::minimum(two.a, two.b);
  return v0::where(v0::is_nan(two.a), two.b,
                   v0::where(v0::is_nan(two.b), two.a, v0::minimum(two.a, two.b)));
}

// Euclid's algorithm for all elements at once; a step leaves those alone that are done.
Tensor gcd(Operand a, Operand b) {
  const Pair two = pair_of(a, b, "gcd");
  const auto unfinished = [](const Tensors& state) { return v0::any(state[1] != 0); };
  const auto step = [](const Tensors& state) {
    const Tensor done = state[1] == 0, divisor = v0::where(done, 1, state[1]);
    return Tensors{v0::where(done, state[0], state[1]),
                   v0::where(done, state[1], fmod(state[0], divisor))};
  };
  return v0::while_loop({v0::abs(two.a), v0::abs(two.b)}, unfinished, step)[0];
}

Tensor lcm(Operand a, Operand b) {
  const Pair two = pair_of(a, b, "lcm");
  const Tensor common = gcd(two.a, two.b);
  return v0::abs(two.a / v0::where(common == 0, 1, common) * two.b);
}

Tensor heaviside(Operand x, Operand at_zero) {
  const Pair two = pair_of(x, at_zero, "heaviside");
  const Tensor zero = v0::zeros_like(two.a);
  return v0::where(two.a == 0, two.b, v0::where(two.a > 0, zero + 1, zero));
}

// The larger is drawn out, so that no square overflows.
Tensor hypot(Operand a, Operand b) {
  const Pair two = pair_of(wrap(floating(a, "hypot")), wrap(floating(b, "hypot")), "hypot");
  const Tensor x = v0::abs(two.a), y = v0::abs(two.b);
  const Tensor large = v0::maximum(x, y), small = v0::minimum(x, y);
  return large * v0::sqrt(1.0 + v0::square(small / v0::where(large == 0, 1.0, large)));
}

Tensor ldexp(Operand x, Operand exponent) {
  const Tensor value = wrap(floating(x, "ldexp"));
  return value * v0::pow(2 * v0::ones_like(value), v0::cast(exponent, value.dtype()));
}

Tensor logaddexp(Operand a, Operand b) {
  const Pair two = pair_of(a, b, "logaddexp");
  const Tensor large = v0::maximum(two.a, two.b);
  // Equal infinities have no distance.
  const Tensor apart = v0::where(two.a == two.b, 0.0, v0::abs(two.a - two.b));
  return large + v0::log1p(v0::exp(-apart));
}

Tensor logaddexp2(Operand a, Operand b) {
  const Pair two = pair_of(a, b, "logaddexp2");
  return logaddexp(two.a * std::numbers::ln2, two.b * std::numbers::ln2) * std::numbers::log2e;
}

Tensor nextafter(Operand x, Operand towards) {
  const auto [from, to] = aligned(x, towards, "nextafter");
  return wrap(stablehlo::next_after(from, to));
}

Tensor isclose(Operand a, Operand b, CloseOptions options) {
  Pair two = pair_of(a, b, "isclose");
  if (!is_float(two.a.dtype())) two = {v0::cast(two.a, DType::f32), v0::cast(two.b, DType::f32)};
  const Tensor within = v0::logical_and(
      v0::abs(two.a - two.b) <= options.atol + options.rtol * v0::abs(two.b), v0::is_finite(two.b));
  const Tensor close = v0::logical_or(within, two.a == two.b);
  if (!options.equal_nan) return close;
  return v0::logical_or(close, v0::logical_and(v0::is_nan(two.a), v0::is_nan(two.b)));
}

Tensor allclose(Operand a, Operand b, CloseOptions options) {
  return v0::all(isclose(a, b, options));
}

Tensor nan_to_num(Operand x, NanToNum numbers) {
  const Tensor value = wrap(alone(x));
  if (!is_float(value.dtype())) return value;
  const double largest = stablehlo::formula::largest(alone(value));
  const Tensor finite =
      v0::where(isposinf(value), numbers.posinf.value_or(largest),
                v0::where(isneginf(value), numbers.neginf.value_or(-largest), value));
  return v0::where(v0::is_nan(value), numbers.nan, finite);
}

// StableHLO's conversion of floats saturates; between integers the limits are compared in the
// wider type.
Tensor saturate_cast(Operand x, DType dtype) {
  const Tensor value = wrap(alone(x));
  if (is_integer(value.dtype()) && is_integer(dtype)) {
    const int bits = 8 * byte_width(dtype);
    const bool is_signed = is_signed_integer(dtype);
    const auto most = std::numeric_limits<int64_t>::max();
    const int64_t high = bits == 64 ? most : (int64_t{1} << (is_signed ? bits - 1 : bits)) - 1,
                  low = is_signed ? -high - 1 : 0;
    return v0::cast(v0::clip(v0::cast(value, DType::i64), low, high), dtype);
  }
  if (!is_float(value.dtype()) || !is_float(dtype)) return v0::cast(value, dtype);
  const double largest = stablehlo::formula::largest(alone(v0::zeros({}, dtype)));
  return v0::cast(v0::clip(value, -largest, largest), dtype);
}

}  // namespace ops
}  // namespace systolic::inline v0
