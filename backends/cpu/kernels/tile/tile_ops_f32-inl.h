// The ops of tile programs on vectors of f32: a struct each, for tile_loops-inl.h; compiled once
// for each instruction set.
#if defined(SYSTOLIC_TILE_OPS_F32_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SYSTOLIC_TILE_OPS_F32_INL_H_
#undef SYSTOLIC_TILE_OPS_F32_INL_H_
#else
#define SYSTOLIC_TILE_OPS_F32_INL_H_
#endif

#include <cstdint>

#include "backends/cpu/kernels/older_highway-inl.h"
#include "backends/cpu/kernels/tile/vector_math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<float>;
using Vector = hn::Vec<Tag>;

// x86's maximum is the second operand when either is NaN, which is right unless the first one is.
HWY_INLINE Vector nan_propagating_max(Vector a, Vector b) {
  Vector largest = hn::Max(a, b);
#if !HWY_ARCH_X86
  largest = hn::IfThenElse(is_nan(b), b, largest);
#endif
  return hn::IfThenElse(is_nan(a), a, largest);
}
HWY_INLINE Vector nan_propagating_min(Vector a, Vector b) {
  Vector smallest = hn::Min(a, b);
#if !HWY_ARCH_X86
  smallest = hn::IfThenElse(is_nan(b), b, smallest);
#endif
  return hn::IfThenElse(is_nan(a), a, smallest);
}
HWY_INLINE Vector round_away(Vector a) {
  const Tag d;
  const Vector whole = hn::Trunc(a);
  const auto up = hn::Ge(hn::Abs(hn::Sub(a, whole)), hn::Set(d, 0.5f));
  return hn::IfThenElse(up, hn::Add(whole, hn::CopySign(hn::Set(d, 1.0f), a)), whole);
}
using Bits = hn::RebindToUnsigned<Tag>;
// By their bits: subnormal numbers may count as 0 on this thread, but none rounds up or down to 0,
// and their sign is 1 or -1. `sign_bit` is that of the numbers asked for.
HWY_INLINE hn::Mask<Tag> is_subnormal(Vector a, uint32_t sign_bit) {
  const hn::RebindToSigned<Tag> d;
  const auto sign = hn::BitCast(d, hn::Set(Bits(), sign_bit));
  const auto rest = hn::Xor(hn::BitCast(d, a), sign);
  const auto found = hn::And(hn::Gt(rest, hn::Zero(d)), hn::Lt(rest, hn::Set(d, 0x800000)));
  return hn::RebindMask(Tag(), found);
}
HWY_INLINE Vector sign(Vector a) {
  const Tag d;
  const Bits bits;
  const auto doubled = hn::ShiftLeft<1>(hn::BitCast(bits, a));
  const auto zero = hn::RebindMask(d, hn::Eq(doubled, hn::Zero(bits)));
  const auto keep = hn::Or(is_nan(a), zero);
  return hn::IfThenElse(keep, a, hn::CopySign(hn::Set(d, 1.0f), a));
}

// clang-format off
struct Abs { static HWY_INLINE Vector call(Vector a) { return hn::Abs(a); } };
struct Ceil { static HWY_INLINE Vector call(Vector a) {
  return hn::IfThenElse(is_subnormal(a, 0), hn::Set(Tag(), 1.0f), hn::Ceil(a)); } };
struct Floor { static HWY_INLINE Vector call(Vector a) {
  return hn::IfThenElse(is_subnormal(a, 0x80000000u), hn::Set(Tag(), -1.0f), hn::Floor(a)); } };
struct Negate { static HWY_INLINE Vector call(Vector a) { return hn::Neg(a); } };
struct RoundEven { static HWY_INLINE Vector call(Vector a) { return hn::Round(a); } };
struct RoundAway { static HWY_INLINE Vector call(Vector a) { return round_away(a); } };
struct Sign { static HWY_INLINE Vector call(Vector a) { return sign(a); } };
struct Sqrt { static HWY_INLINE Vector call(Vector a) { return hn::Sqrt(a); } };
struct Square { static HWY_INLINE Vector call(Vector a) { return hn::Mul(a, a); } };
struct Rsqrt { static HWY_INLINE Vector call(Vector a) { return vector_math::rsqrt(Tag(), a); } };
struct Cbrt { static HWY_INLINE Vector call(Vector a) { return vector_math::cbrt(Tag(), a); } };
struct Cos { static HWY_INLINE Vector call(Vector a) { return vector_math::cos(Tag(), a); } };
struct Sin { static HWY_INLINE Vector call(Vector a) { return vector_math::sin(Tag(), a); } };
struct Tan { static HWY_INLINE Vector call(Vector a) { return vector_math::tan(Tag(), a); } };
struct Tanh { static HWY_INLINE Vector call(Vector a) { return vector_math::tanh(Tag(), a); } };
struct Erf { static HWY_INLINE Vector call(Vector a) { return vector_math::erf(Tag(), a); } };
struct Exp { static HWY_INLINE Vector call(Vector a) { return vector_math::exp(Tag(), a); } };
struct Expm1 { static HWY_INLINE Vector call(Vector a) { return vector_math::expm1(Tag(), a); } };
struct Log { static HWY_INLINE Vector call(Vector a) { return vector_math::log(Tag(), a); } };
struct Log1p { static HWY_INLINE Vector call(Vector a) { return vector_math::log1p(Tag(), a); } };
struct Logistic {
  static HWY_INLINE Vector call(Vector a) { return vector_math::logistic(Tag(), a); }
};

struct Add { static HWY_INLINE Vector call(Vector a, Vector b) { return hn::Add(a, b); } };
struct Subtract { static HWY_INLINE Vector call(Vector a, Vector b) { return hn::Sub(a, b); } };
struct SubtractFrom { static HWY_INLINE Vector call(Vector a, Vector b) { return hn::Sub(b, a); } };
struct Multiply { static HWY_INLINE Vector call(Vector a, Vector b) { return hn::Mul(a, b); } };
struct Divide { static HWY_INLINE Vector call(Vector a, Vector b) { return hn::Div(a, b); } };
struct DivideInto { static HWY_INLINE Vector call(Vector a, Vector b) { return hn::Div(b, a); } };
struct Maximum {
  static HWY_INLINE Vector call(Vector a, Vector b) { return nan_propagating_max(a, b); }
};
struct Minimum {
  static HWY_INLINE Vector call(Vector a, Vector b) { return nan_propagating_min(a, b); }
};
struct Atan2 {
  static HWY_INLINE Vector call(Vector a, Vector b) { return vector_math::atan2(Tag(), a, b); }
};
struct Power {
  static HWY_INLINE Vector call(Vector a, Vector b) { return vector_math::pow(Tag(), a, b); }
};
struct SqrtAdd {
  static HWY_INLINE Vector call(Vector a, Vector b) { return hn::Add(hn::Sqrt(a), b); }
};
struct MultiplyErf {
  static HWY_INLINE Vector call(Vector a, Vector b) {
    return vector_math::fast_erf(Tag(), hn::Mul(a, b));
  }
};

struct Gelu {
  static HWY_INLINE Vector call(Vector a, Vector b) {
    const Vector half = hn::Mul(hn::Set(Tag(), 0.5F), a);
    return hn::Mul(half, hn::Add(hn::Set(Tag(), 1.0F), MultiplyErf::call(a, b)));
  }
};
struct AddGelu {
  static HWY_INLINE Vector call(Vector a, Vector b, Vector c) {
    return Gelu::call(hn::Add(a, b), c);
  }
};
// p (1 + erf(x c)) + q x exp(-(x c)^2)
HWY_INLINE Vector gelu_slope(Vector x, Vector c, Vector p, Vector q) {
  const Vector t = hn::Mul(x, c);
  const Vector bell = vector_math::exp_up_to_0(Tag(), hn::Neg(hn::Mul(t, t)));
  return hn::MulAdd(hn::Mul(q, x), bell, hn::MulAdd(p, vector_math::fast_erf(Tag(), t), p));
}

struct Clamp {
  static HWY_INLINE Vector call(Vector low, Vector a, Vector high) {
    return nan_propagating_min(nan_propagating_max(a, low), high);
  }
};
struct Lerp {
  static HWY_INLINE Vector call(Vector a, Vector b, Vector c) {
    return hn::MulAdd(hn::Sub(b, a), c, a);
  }
};
struct SquareLerp {
  static HWY_INLINE Vector call(Vector a, Vector b, Vector c) {
    return hn::MulAdd(hn::MulSub(b, b, a), c, a);
  }
};
struct SubtractMultiplyDivide {
  static HWY_INLINE Vector call(Vector a, Vector b, Vector c, Vector e) {
    return hn::Sub(a, hn::Div(hn::Mul(b, c), e));
  }
};
struct SubtractDivideRoot {
  static HWY_INLINE Vector call(Vector a, Vector b, Vector c, Vector e, Vector f) {
    return hn::Sub(a, hn::Div(hn::Mul(b, c), hn::Add(vector_math::fast_sqrt(Tag(), e), f)));
  }
};
template <class Inner, class Outer>
struct Pair {
  static HWY_INLINE Vector call(Vector a, Vector b, Vector c) {
    return Outer::call(Inner::call(a, b), c);
  }
};
template <>
struct Pair<Multiply, Add> {
  static HWY_INLINE Vector call(Vector a, Vector b, Vector c) { return hn::MulAdd(a, b, c); }
};
template <>
struct Pair<Multiply, Subtract> {
  static HWY_INLINE Vector call(Vector a, Vector b, Vector c) { return hn::MulSub(a, b, c); }
};
template <>
struct Pair<Multiply, SubtractFrom> {
  static HWY_INLINE Vector call(Vector a, Vector b, Vector c) { return hn::NegMulAdd(a, b, c); }
};

struct Ge { static HWY_INLINE hn::Mask<Tag> call(Vector a, Vector b) { return hn::Ge(a, b); } };
struct Le { static HWY_INLINE hn::Mask<Tag> call(Vector a, Vector b) { return hn::Le(a, b); } };
// clang-format on

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
