// Elementary functions on vectors of f32, for use inside Highway's per-target code.
//
// Every function states where it is valid and its largest error in ULP (units in the last place of
// the f32 result, against the exact value); vector_math_test.cc checks both over a dense sweep of
// floats. Outside the stated range, and for zeros, infinities and NaN, results are those of the C
// library. Subnormal inputs and results are exact to the stated error as well.
//
// The polynomials are minimax fits (Remez exchange at 40 digits, the coefficients rounded to f32
// one after another from the constant term on and the others fitted again); the comment at each
// gives the function it approximates, the interval, and the error of the fit before rounding errors
// of the evaluation.

#include <cmath>
#include <cstdint>

#if defined(SYSTOLIC_VECTOR_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SYSTOLIC_VECTOR_MATH_INL_H_
#undef SYSTOLIC_VECTOR_MATH_INL_H_
#else
#define SYSTOLIC_VECTOR_MATH_INL_H_
#endif

#include "backends/cpu/kernels/older_highway-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {
namespace vector_math {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
using IntTag = hn::RebindToSigned<D>;

// c[0] + x (c[1] + x (c[2] + ...)).
template <class D, class V>
HWY_INLINE V polynomial(D d, V x, float last) {
  (void)x;
  return hn::Set(d, last);
}
template <class D, class V, class... Rest>
HWY_INLINE V polynomial(D d, V x, float first, Rest... rest) {
  return hn::MulAdd(polynomial(d, x, rest...), x, hn::Set(d, first));
}

// 2^n for integers n in [-126, 127].
template <class D, class VI>
HWY_INLINE hn::Vec<D> power_of_two(D d, VI n) {
  const IntTag<D> di;
  return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(n, hn::Set(di, 127))));
}

// a / b for b from 2^-100 to 2^100. AVX-512 has 1 / b to 2^-14: one Newton step makes that 2^-28,
// and with the two roundings after it the result is off by at most 2.1 times 2^-24, where a
// division is by 2^-24. These four ops take an eighth of its time.
template <class D, class V>
HWY_INLINE V fast_divide(D d, V a, V b) {
  if constexpr (HWY_ARCH_X86 && hn::MaxLanes(D()) >= 16) {
    const V y = hn::ApproximateReciprocal(b);
    return hn::Mul(a, hn::MulAdd(y, hn::NegMulAdd(b, y, hn::Set(d, 1.0f)), y));
  } else {
    return hn::Div(a, b);
  }
}

// a / (b + rest) where `rest` is what was lost when b was rounded, and b is from 2^-100 to 2^100:
// off by little more than the last rounding. The remainder of a quotient that is off by 2^-23 is
// exact with fused multiply-adds.
template <class D, class V>
HWY_INLINE V near_divide(D d, V a, V b, V rest) {
  const V y = fast_divide(d, hn::Set(d, 1.0f), b);
  const V quotient = hn::Mul(a, y);
  const V left = hn::NegMulAdd(rest, quotient, hn::NegMulAdd(b, quotient, a));
  return hn::MulAdd(left, y, quotient);
}

// Calls a scalar function on each lane: for the rare vectors with a lane outside a fast path's
// range.
template <class D, class V, class F>
HWY_NOINLINE V each_lane(D d, V x, F function) {
  HWY_ALIGN float lanes[hn::MaxLanes(d)];
  hn::Store(x, d, lanes);
  for (size_t i = 0; i < hn::Lanes(d); ++i) lanes[i] = function(lanes[i]);
  return hn::Load(d, lanes);
}
template <class D, class V, class F>
HWY_NOINLINE V each_lane(D d, V x, V y, F function) {
  HWY_ALIGN float lanes[hn::MaxLanes(d)];
  HWY_ALIGN float others[hn::MaxLanes(d)];
  hn::Store(x, d, lanes);
  hn::Store(y, d, others);
  for (size_t i = 0; i < hn::Lanes(d); ++i) lanes[i] = function(lanes[i], others[i]);
  return hn::Load(d, lanes);
}

// x = n ln 2 + r with |r| <= ln(2) / 2; returns the whole number n and e^r - 1.
// (e^r - 1 - r) / r^2 on |r| <= 0.35: error 2^-28 of e^r - 1.
template <class D, class V>
HWY_INLINE V reduced_expm1(D d, V x, V& n) {
  n = hn::Round(hn::Mul(x, hn::Set(d, 1.442695041f)));
  V r = hn::NegMulAdd(n, hn::Set(d, 0.693359375f), x);   // ln 2, leading 10 bits
  r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4f), r);  // ln 2, the rest
  const V q = polynomial(d, r, 0.5f, 0.166666344f, 0.041666504f, 0.00834170915f, 0.0013931531f,
                         0.000150450796f);
  return hn::MulAdd(hn::Mul(r, r), q, r);
}

// x 2^n for 0.5 < x < 2 and whole n from -151 (subnormal results) to 130 (infinity).
template <class D, class V>
HWY_INLINE V times_power_of_two(D d, V x, V n) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (hn::MaxLanes(D()) == 16) return V{_mm512_scalef_ps(x.raw, n.raw)};
#endif
  const auto whole = hn::ConvertTo(IntTag<D>(), n);
  const auto half = hn::ShiftRight<1>(whole);  // in two factors, as no number is 2^-151
  return hn::Mul(hn::Mul(x, power_of_two(d, half)), power_of_two(d, hn::Sub(whole, half)));
}

// Valid range: all floats. Max error: 2 ULP.
template <class D, class V>
HWY_INLINE V exp(D d, V x) {
  const V clamped = hn::Min(hn::Max(x, hn::Set(d, -105.0f)), hn::Set(d, 90.0f));
  V n;
  const V one_plus = hn::Add(reduced_expm1(d, clamped, n), hn::Set(d, 1.0f));
  return hn::IfThenElse(is_nan(x), x, times_power_of_two(d, one_plus, n));
}

// Valid range: up to 0, and NaN. Max error: 2 ULP.
template <class D, class V>
HWY_INLINE V exp_up_to_0(D d, V x) {
#if HWY_ARCH_X86
  const V clamped =
      hn::Max(hn::Set(d, -105.0f), x);  // x86's maximum is the second operand where one is a NaN
  V n;
  const V one_plus = hn::Add(reduced_expm1(d, clamped, n), hn::Set(d, 1.0f));
  return times_power_of_two(d, one_plus, n);
#else
  return exp(d, x);
#endif
}

// e^x - 1. Valid range: all floats. Max error: 2 ULP.
template <class D, class V>
HWY_INLINE V expm1(D d, V x) {
  const V clamped = hn::Min(hn::Max(x, hn::Set(d, -30.0f)), hn::Set(d, 89.0f));
  V n;
  const V q = reduced_expm1(d, clamped, n);
  // 2^n (1 + q) - 1, computed as twice 2^(n-1) q + (2^(n-1) - 1/2), so that n = 128 does not
  // overflow too early.
  const V half_scale = power_of_two(d, hn::ConvertTo(IntTag<D>(), hn::Sub(n, hn::Set(d, 1.0f))));
  const V half = hn::MulAdd(half_scale, q, hn::Sub(half_scale, hn::Set(d, 0.5f)));
  const V result = hn::Add(half, half);
  // Tiny x (and -0, and NaN) is its own result.
  const auto keep = hn::Or(hn::Lt(hn::Abs(x), hn::Set(d, 1e-10f)), is_nan(x));
  return hn::IfThenElse(keep, x, result);
}

// log(1 + f) for f in [sqrt(1/2) - 1, sqrt(2) - 1], plus e ln 2.
// (log(1 + f) - f + f^2 / 2) / f^3: error 2^-28 of log(1 + f).
template <class D, class V>
HWY_INLINE V reduced_log(D d, V f, V e) {
  const V r = polynomial(d, f, 0.333333105f, -0.25f, 0.200022638f, -0.166686594f, 0.142170489f,
                         -0.12392173f, 0.11892914f, -0.117485866f, 0.0681605712f);
  const V f2 = hn::Mul(f, f);
  V small = hn::Mul(hn::Mul(f2, f), r);
  small = hn::MulAdd(e, hn::Set(d, -2.12194440e-4f), small);
  small = hn::NegMulAdd(hn::Set(d, 0.5f), f2, small);
  return hn::MulAdd(e, hn::Set(d, 0.693359375f), hn::Add(f, small));
}

// x = 2^e m with m in [sqrt(1/2), sqrt(2)), for normal x > 0; returns m.
template <class D, class V>
HWY_INLINE V split_exponent(D d, V x, hn::Vec<IntTag<D>>& e) {
  const IntTag<D> di;
  const auto bits = hn::BitCast(di, x);
  const auto shifted = hn::Sub(bits, hn::Set(di, 0x3f3504f3));  // the bits of sqrt(1/2)
  e = hn::ShiftRight<23>(shifted);
  return hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(e)));
}

// What log-like functions of `argument` give outside (0, infinity): -infinity at 0, NaN below.
template <class D, class V>
HWY_INLINE V log_special_cases(D d, V argument, V result) {
  const V infinity = hn::Set(d, INFINITY);
  const V zero = hn::Zero(d);
  result = hn::IfThenElse(hn::Eq(argument, infinity), infinity, result);
  result = hn::IfThenElse(hn::Eq(argument, zero), hn::Neg(infinity), result);
  const auto bad = hn::Or(hn::Lt(argument, zero), is_nan(argument));
  return hn::IfThenElse(bad, hn::Set(d, NAN), result);
}

// Natural logarithm. Valid range: all floats. Max error: 2 ULP.
template <class D, class V>
HWY_INLINE V log(D d, V x) {
  const auto subnormal = hn::Lt(x, hn::Set(d, 1.17549435e-38f));
  const V scaled = hn::IfThenElse(subnormal, hn::Mul(x, hn::Set(d, 8388608.0f)), x);
  hn::Vec<IntTag<D>> e;
  const V m = split_exponent(d, scaled, e);
  const V exponent = hn::Sub(hn::ConvertTo(d, e), hn::IfThenElseZero(subnormal, hn::Set(d, 23.0f)));
  const V result = reduced_log(d, hn::Sub(m, hn::Set(d, 1.0f)), exponent);
  return log_special_cases(d, x, result);
}

// log(1 + x). Valid range: all floats. Max error: 2 ULP.
template <class D, class V>
HWY_INLINE V log1p(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V u = hn::Add(x, one);
  // What the sum lost: x - (u - 1) or 1 - (u - x), the one that is exact.
  const V lost =
      hn::IfThenElse(hn::Lt(x, one), hn::Sub(x, hn::Sub(u, one)), hn::Sub(one, hn::Sub(u, x)));
  hn::Vec<IntTag<D>> e;
  const V m = split_exponent(d, u, e);
  const IntTag<D> di;
  const auto capped = hn::Min(e, hn::Set(di, 126));  // beyond, nothing of `lost` is left
  const V f = hn::MulAdd(lost, power_of_two(d, hn::Neg(capped)), hn::Sub(m, one));
  const V result = log_special_cases(d, u, reduced_log(d, f, hn::ConvertTo(d, e)));
  return hn::IfThenElse(hn::Lt(hn::Abs(x), hn::Set(d, 1e-10f)), x, result);
}

// Valid range: all floats. Max error: 2 ULP.
template <class D, class V>
HWY_INLINE V tanh(D d, V x) {
  // (e^2|x| - 1) / (e^2|x| + 1); beyond 10 it is 1.
  const V magnitude = hn::Min(hn::Abs(x), hn::Set(d, 10.0f));
  const V t = expm1(d, hn::Add(magnitude, magnitude)), two = hn::Set(d, 2.0f);
  const V sum = hn::Add(t, two);
  const V lost = hn::Sub(hn::Min(t, two), hn::Sub(sum, hn::Max(t, two)));
  const V result = hn::CopySign(near_divide(d, t, sum, lost), x);
  return hn::IfThenElse(is_nan(x), x, result);
}

// 1 / (1 + e^-x). Valid range: all floats. Max error: 2 ULP.
template <class D, class V>
HWY_INLINE V logistic(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V e = exp(d, hn::Neg(hn::Abs(x)));
  const V numerator = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one);
  const V sum = hn::Add(one, e);
  return near_divide(d, numerator, sum, hn::Sub(e, hn::Sub(sum, one)));
}

// Valid range: all floats. Max error: 2 ULP.
// Up to 1 it is x + x p(x^2), beyond it 1 - e^q(|x|), where q is the logarithm of 1 - erf, which is
// small. By least squares as below: error 2^-29. From 4 on, erf is 1.
template <class D, class V>
HWY_INLINE V erf(D d, V x) {
  const V magnitude = hn::Min(hn::Abs(x), hn::Set(d, 4.0f)), one = hn::Set(d, 1.0f);
  const V p = polynomial(d, hn::Mul(magnitude, magnitude), 0.128379166f, -0.37612626f, 0.112835787f,
                         -0.0268533472f, 0.00518716220f, -0.00079978531f, 7.80690316e-05f);
  const V q = polynomial(d, magnitude, -0.00034150033f, -1.12708926f, -0.638144732f, -0.103106841f,
                         0.0218381118f, -0.0029476732f, 0.000186381105f);
  const V large = hn::CopySign(hn::Sub(one, exp_up_to_0(d, q)), x);
  const V result = hn::IfThenElse(hn::Lt(magnitude, one), hn::MulAdd(x, p, x), large);
  return hn::IfThenElse(is_nan(x), x, result);
}

// As a part of GELU, which needs no more. Valid range: all floats. Max error: 6 ULP.
// erf(x) / x as a quotient of polynomials in x^2 on [0, 3.93], by linearized least squares whose
// weights are raised where the error is large (Lawson): error 2^-28. Beyond, erf is 1.
template <class D, class V>
HWY_INLINE V fast_erf(D d, V x) {
  const V z = hn::Min(hn::Mul(x, x), hn::Set(d, 3.93f * 3.93f));
  const V p = polynomial(d, z, 1.12837917f, 0.192490263f, 0.0555932284f, 0.00419669626f,
                         0.000406078289f, 6.60090954e-06f);
  const V q = polynomial(d, z, 1.0f, 0.503923476f, 0.11724213f, 0.0162185923f, 0.00140840895f,
                         7.1198775e-05f, 2.49702183e-07f);
  const V one = hn::Set(d, 1.0f);
  const V value = hn::Mul(x, fast_divide(d, p, q));  // beyond 3.93 it is more than 1
  const V bounded = hn::Min(one, hn::Max(hn::Neg(one), value));
#if HWY_ARCH_X86
  return bounded;  // x86's minimum and maximum are the second operand where one is a NaN
#else
  return hn::IfThenElse(is_nan(x), x, bounded);
#endif
}

// x = n pi/2 + r, |r| <= pi/4: sine and cosine of r. Four parts of pi/2, exact products by fused
// multiply-add. (sin r - r) / r^3 and (cos r - 1 + r^2 / 2) / r^4 in r^2: errors 2^-28 and 2^-33.
template <class D, class V>
HWY_INLINE void reduced_sin_cos(D d, V x, hn::Vec<IntTag<D>>& n, V& sine, V& cosine) {
  n = hn::NearestInt(hn::Mul(x, hn::Set(d, 0.636619772f)));
  const V count = hn::ConvertTo(d, n);
  V r = hn::NegMulAdd(count, hn::Set(d, 1.57079625f), x);
  r = hn::NegMulAdd(count, hn::Set(d, 7.54978942e-08f), r);
  r = hn::NegMulAdd(count, hn::Set(d, 5.39030253e-15f), r);
  const V z = hn::Mul(r, r);
  const V s = polynomial(d, z, -0.166666672f, 0.00833338033f, -0.00019853485f, 2.83698046e-06f);
  const V c = polynomial(d, z, 0.0416666456f, -0.00138873013f, 2.44306702e-05f);
  sine = hn::MulAdd(hn::Mul(z, r), s, r);
  cosine = hn::MulAdd(hn::Mul(z, z), c, hn::NegMulAdd(hn::Set(d, 0.5f), z, hn::Set(d, 1.0f)));
}

// Above this magnitude (and for NaN) the reduction loses bits, and the C library takes over.
template <class D, class V>
HWY_INLINE bool outside_trigonometric_range(D d, V x) {
  return !hn::AllTrue(d, hn::Lt(hn::Abs(x), hn::Set(d, 30000.0f)));
}

// Negates where bit 1 of n is set.
template <class D, class V>
HWY_INLINE V flip_sign(D d, V x, hn::Vec<IntTag<D>> n) {
  const IntTag<D> di;
  const auto sign = hn::ShiftLeft<30>(hn::And(n, hn::Set(di, 2)));
  return hn::BitCast(d, hn::Xor(hn::BitCast(di, x), sign));
}
template <class D>
HWY_INLINE hn::Mask<D> is_odd(D d, hn::Vec<IntTag<D>> n) {
  const IntTag<D> di;
  return hn::RebindMask(d, hn::Eq(hn::And(n, hn::Set(di, 1)), hn::Set(di, 1)));
}

// Valid range: all floats. Max error: 2 ULP.
template <class D, class V>
HWY_INLINE V sin(D d, V x) {
  if (HWY_UNLIKELY(outside_trigonometric_range(d, x))) {
    return each_lane(d, x, [](float lane) { return static_cast<float>(std::sin(double{lane})); });
  }
  hn::Vec<IntTag<D>> n;
  V s, c;
  reduced_sin_cos(d, x, n, s, c);
  const V result = flip_sign(d, hn::IfThenElse(is_odd(d, n), c, s), n);
  return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, result);
}

// Valid range: all floats. Max error: 2 ULP.
template <class D, class V>
HWY_INLINE V cos(D d, V x) {
  if (HWY_UNLIKELY(outside_trigonometric_range(d, x))) {
    return each_lane(d, x, [](float lane) { return static_cast<float>(std::cos(double{lane})); });
  }
  hn::Vec<IntTag<D>> n;
  V s, c;
  reduced_sin_cos(d, x, n, s, c);
  const auto odd = is_odd(d, n);
  const IntTag<D> di;
  return flip_sign(d, hn::IfThenElse(odd, s, c), hn::Add(n, hn::Set(di, 1)));
}

// For doubles below 30000 that were f32: relative error below 2^-33. Sine and cosine of x - n pi/2
// by their series.
template <class DD, class VD>
HWY_INLINE VD tan_of_doubles(DD d, VD x) {
  const hn::RebindToSigned<DD> di;
  const VD magic = hn::Set(d, 6755399441055744.0);  // 1.5 * 2^52 rounds to a whole number
  const VD shifted = hn::MulAdd(x, hn::Set(d, 0.6366197723675814), magic);
  const VD n = hn::Sub(shifted, magic);
  VD r = hn::NegMulAdd(n, hn::Set(d, 1.5707963267948966), x);
  r = hn::NegMulAdd(n, hn::Set(d, 6.123233995736766e-17), r);
  const VD z = hn::Mul(r, r);
  VD s = hn::Set(d, -1.0 / 39916800), c = hn::Set(d, -1.0 / 3628800);
  for (double term : {1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6})
    s = hn::MulAdd(s, z, hn::Set(d, term));
  for (double term : {1.0 / 40320, -1.0 / 720, 1.0 / 24, -1.0 / 2, 1.0})
    c = hn::MulAdd(c, z, hn::Set(d, term));
  s = hn::MulAdd(hn::Mul(r, z), s, r);
  const auto last_bit = hn::And(hn::BitCast(di, shifted), hn::Set(di, 1));
  const auto odd = hn::RebindMask(d, hn::Eq(last_bit, hn::Set(di, 1)));
  return hn::Div(hn::IfThenElse(odd, hn::Neg(c), s), hn::IfThenElse(odd, s, c));
}

// Through doubles. Valid range: all floats. Max error: 1 ULP.
template <class D, class V>
HWY_INLINE V tan(D d, V x) {
  if (HWY_UNLIKELY(outside_trigonometric_range(d, x))) {
    return each_lane(d, x, [](float lane) { return static_cast<float>(std::tan(double{lane})); });
  }
  const hn::Half<D> dh;
  const hn::Rebind<double, decltype(dh)> dd;
  const auto low = tan_of_doubles(dd, hn::PromoteTo(dd, hn::LowerHalf(dh, x)));
  const auto high = tan_of_doubles(dd, hn::PromoteTo(dd, hn::UpperHalf(dh, x)));
  const V result = hn::Combine(d, hn::DemoteTo(dh, high), hn::DemoteTo(dh, low));
  return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, result);
}

// The angle of the point (x, y). Valid range: all floats. Max error: 4 ULP.
// (atan t - t) / t^3 in t^2 on [0, 1]: error 2^-28.
template <class D, class V>
HWY_INLINE V atan2(D d, V y, V x) {
  const V ax = hn::Abs(x), ay = hn::Abs(y);
  const V largest = hn::Max(ax, ay), smallest = hn::Min(ax, ay);
  // Zeros, infinities, NaN, and quotients that would be subnormal.
  const auto ordinary =
      hn::And(hn::And(hn::Lt(ax, hn::Set(d, 3e38f)), hn::Lt(ay, hn::Set(d, 3e38f))),
              hn::Gt(smallest, hn::Set(d, 1e-30f)));
  const auto plain = hn::And(ordinary, hn::Lt(hn::Mul(largest, hn::Set(d, 1e-30f)), smallest));
  if (HWY_UNLIKELY(!hn::AllTrue(d, plain))) {
    return each_lane(d, y, x, [](float a, float b) {
      return static_cast<float>(std::atan2(double{a}, double{b}));
    });
  }
  const V t = hn::Div(smallest, largest);
  const V z = hn::Mul(t, t);
  const V a =
      polynomial(d, z, -0.333332986f, 0.199985296f, -0.142640144f, 0.109508611f, -0.0839920789f,
                 0.0578788705f, -0.0310935341f, 0.0108662713f, -0.00178214419f);
  V angle = hn::MulAdd(hn::Mul(z, t), a, t);
  // pi/2 - angle and pi - angle with the constants in two parts.
  const V steep = hn::Sub(hn::Set(d, 1.57079637f), hn::Add(angle, hn::Set(d, 4.37113883e-08f)));
  angle = hn::IfThenElse(hn::Gt(ay, ax), steep, angle);
  const V left = hn::Sub(hn::Set(d, 3.14159274f), hn::Add(angle, hn::Set(d, 8.74227766e-08f)));
  angle = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), left, angle);
  return hn::CopySign(angle, y);
}

// Valid range: all floats. Max error: 2 ULP.
template <class D, class V>
HWY_INLINE V cbrt(D d, V x) {
  const IntTag<D> di;
  const V magnitude = hn::Abs(x);
  const auto tiny = hn::Lt(magnitude, hn::Set(d, 1e-30f));
  const V a = hn::IfThenElse(tiny, hn::Mul(magnitude, hn::Set(d, 16777216.0f)), magnitude);
  // A third of the bits is a third of the logarithm: 4 % off, then 1e-5, then (Newton) below half
  // an ULP.
  const V bits = hn::ConvertTo(d, hn::BitCast(di, a));
  V y = hn::BitCast(d, hn::Add(hn::ConvertTo(di, hn::Mul(bits, hn::Set(d, 1.0f / 3.0f))),
                               hn::Set(di, 0x2a5119f2)));
  // Halley: y (y^3 + 2a) / (2y^3 + a), both parts by 4 smaller against overflow.
  const V half_cube = hn::Mul(hn::Mul(y, y), hn::Mul(y, hn::Set(d, 0.5f)));
  const V half_a = hn::Mul(a, hn::Set(d, 0.5f));
  y = hn::Mul(y, hn::Div(hn::MulAdd(half_cube, hn::Set(d, 0.5f), half_a),
                         hn::MulAdd(half_a, hn::Set(d, 0.5f), half_cube)));
  const V square = hn::Mul(y, y);
  const V residual = hn::NegMulAdd(square, y, a);
  y = hn::MulAdd(residual, hn::Div(hn::Set(d, 1.0f / 3.0f), square), y);
  y = hn::IfThenElse(tiny, hn::Mul(y, hn::Set(d, 1.0f / 256.0f)), y);
  const auto finite = hn::And(hn::Lt(magnitude, hn::Set(d, INFINITY)), hn::Ne(x, hn::Zero(d)));
  return hn::IfThenElse(finite, hn::CopySign(y, x), x);
}

// Valid range: all floats. Max error: 2 ULP.
template <class D, class V>
HWY_INLINE V rsqrt(D d, V x) {
  return hn::Div(hn::Set(d, 1.0f), hn::Sqrt(x));
}

// Valid range: all floats. Max error: 1.1 ULP; where the processor's root is used, 0.5.
//
// AVX-512 has 1 / sqrt(x) to 2^-14: y. Then t = x y is the root but for a factor (1 + e), |e| <=
// 2^-14 + 2^-24, and Newton's step t + t (1/2 - t y / 2) leaves 3/2 e^2 <= 0.1 * 2^-24 of it and
// half of the rounding of t, 0.5 * 2^-24; its own rounding is half a ULP. The processor's root
// takes as long as its division; this one overlaps with a division.
template <class D, class V>
HWY_INLINE V fast_sqrt(D d, V x) {
  if constexpr (HWY_ARCH_X86 && hn::MaxLanes(D()) >= 16) {
    const V y = hn::ApproximateReciprocalSqrt(x), half = hn::Set(d, 0.5f);
    const V t = hn::Mul(x, y);
    const V root = hn::MulAdd(t, hn::NegMulAdd(t, hn::Mul(y, half), half), t);
    // 0 and infinity are their own roots; of -infinity the magnitude is another.
    return hn::IfThenElse(hn::Eq(hn::Add(x, x), hn::Abs(x)), x, root);
  } else {
    return hn::Sqrt(x);
  }
}

// log2 and 2^x of doubles near enough for f32's pow: relative error below 2^-33.
// log2(m) = 2 / ln 2 * atanh(s), s = (m - 1) / (m + 1), by its series (s^2 < 0.0295).
template <class DD, class VD>
HWY_INLINE VD log2_for_pow(DD d, VD x) {
  const hn::RebindToSigned<DD> di;
  const auto bits = hn::BitCast(di, x);
  const auto shifted = hn::Sub(bits, hn::Set(di, 0x3fe6a09e667f3bcd));
  const auto e = hn::ShiftRight<52>(shifted);
  const VD m = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<52>(e)));
  const VD one = hn::Set(d, 1.0);
  const VD s = hn::Div(hn::Sub(m, one), hn::Add(m, one));
  const VD z = hn::Mul(s, s);
  VD p = hn::Set(d, 2.0 / 15);
  for (double c : {2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3, 2.0}) {
    p = hn::MulAdd(p, z, hn::Set(d, c));
  }
  // The small integer e as a double: put it into the mantissa of 1.5 * 2^52.
  const VD magic = hn::Set(d, 6755399441055744.0);
  const VD exponent = hn::Sub(hn::BitCast(d, hn::Add(hn::BitCast(di, magic), e)), magic);
  return hn::MulAdd(hn::Mul(s, p), hn::Set(d, 1.4426950408889634), exponent);
}

template <class DD, class VD>
HWY_INLINE VD exp2_for_pow(DD d, VD x) {
  const hn::RebindToSigned<DD> di;
  const VD limit = hn::Set(d, 200.0);
  const VD clamped = hn::Min(hn::Max(x, hn::Neg(limit)), limit);
  const VD magic = hn::Set(d, 6755399441055744.0);
  const VD shifted = hn::Add(clamped, magic);
  const auto n = hn::Sub(hn::BitCast(di, shifted), hn::BitCast(di, magic));
  const VD r = hn::Mul(hn::Sub(clamped, hn::Sub(shifted, magic)), hn::Set(d, 0.6931471805599453));
  VD p = hn::Set(d, 1.0 / 3628800);
  for (double c : {1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6,
                   0.5, 1.0, 1.0}) {
    p = hn::MulAdd(p, r, hn::Set(d, c));
  }
  return hn::BitCast(d, hn::Add(hn::BitCast(di, p), hn::ShiftLeft<52>(n)));
}

// x^y, through doubles. Valid range: all floats. Max error: 1 ULP.
template <class D, class V>
HWY_INLINE V pow(D d, V x, V y) {
  const V magnitude = hn::Abs(x);
  const V infinity = hn::Set(d, INFINITY);
  const auto plain = hn::And(hn::And(hn::Gt(magnitude, hn::Zero(d)), hn::Lt(magnitude, infinity)),
                             hn::Lt(hn::Abs(y), infinity));
  if (HWY_UNLIKELY(!hn::AllTrue(d, plain))) {
    return each_lane(d, x, y, [](float a, float b) { return std::pow(a, b); });
  }
  const hn::Half<D> dh;
  const hn::Rebind<double, decltype(dh)> dd;
  const auto low =
      exp2_for_pow(dd, hn::Mul(log2_for_pow(dd, hn::PromoteTo(dd, hn::LowerHalf(dh, magnitude))),
                               hn::PromoteTo(dd, hn::LowerHalf(dh, y))));
  const auto high =
      exp2_for_pow(dd, hn::Mul(log2_for_pow(dd, hn::PromoteTo(dd, hn::UpperHalf(dh, magnitude))),
                               hn::PromoteTo(dd, hn::UpperHalf(dh, y))));
  const V result = hn::Combine(d, hn::DemoteTo(dh, high), hn::DemoteTo(dh, low));
  // Negative x: the sign of an odd integer y; NaN when y is not an integer.
  const auto negative = hn::Lt(x, hn::Zero(d));
  const V half_y = hn::Mul(y, hn::Set(d, 0.5f));
  const auto integer = hn::Eq(hn::Trunc(y), y);
  const auto even = hn::Eq(hn::Trunc(half_y), half_y);
  const V with_sign = hn::IfThenElse(hn::AndNot(even, negative), hn::Neg(result), result);
  return hn::IfThenElse(hn::AndNot(integer, negative), hn::Set(d, NAN), with_sign);
}

}  // namespace vector_math
}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
