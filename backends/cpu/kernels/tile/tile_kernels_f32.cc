// Vector kernels for tiles of f32.
#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/tile/tile_kernels_f32.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file once per target.
#include "backends/cpu/kernels/older_highway-inl.h"
#include "backends/cpu/kernels/tile/tile_kernels.h"
#include "backends/cpu/kernels/tile/vector_math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<float>;
using Vector = hn::Vec<Tag>;

// An op is a struct with a static call(...) on vectors; `Operands` says how many it takes.
template <class Op>
void run1(const TileCall& call) {
  const Tag d;
  const float* a = static_cast<const float*>(call.operands[0]);
  float* result = static_cast<float*>(call.result);
  for (int64_t i = 0; i < call.count; i += hn::Lanes(d)) {
    hn::StoreU(Op::call(hn::LoadU(d, a + i)), d, result + i);
  }
}
template <class Op>
void run2(const TileCall& call) {
  const Tag d;
  const float* a = static_cast<const float*>(call.operands[0]);
  const float* b = static_cast<const float*>(call.operands[1]);
  float* result = static_cast<float*>(call.result);
  for (int64_t i = 0; i < call.count; i += hn::Lanes(d)) {
    hn::StoreU(Op::call(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, result + i);
  }
}
template <class Op>
void run3(const TileCall& call) {
  const Tag d;
  const float* a = static_cast<const float*>(call.operands[0]);
  const float* b = static_cast<const float*>(call.operands[1]);
  const float* c = static_cast<const float*>(call.operands[2]);
  float* result = static_cast<float*>(call.result);
  for (int64_t i = 0; i < call.count; i += hn::Lanes(d)) {
    hn::StoreU(Op::call(hn::LoadU(d, a + i), hn::LoadU(d, b + i), hn::LoadU(d, c + i)), d,
               result + i);
  }
}
template <class Op>
void run4(const TileCall& call) {
  const Tag d;
  const float* a = static_cast<const float*>(call.operands[0]);
  const float* b = static_cast<const float*>(call.operands[1]);
  const float* c = static_cast<const float*>(call.operands[2]);
  const float* e = static_cast<const float*>(call.operands[3]);
  float* result = static_cast<float*>(call.result);
  for (int64_t i = 0; i < call.count; i += hn::Lanes(d)) {
    hn::StoreU(Op::call(hn::LoadU(d, a + i), hn::LoadU(d, b + i), hn::LoadU(d, c + i),
                        hn::LoadU(d, e + i)),
               d, result + i);
  }
}

template <class Op>
void run5(const TileCall& call) {
  const Tag d;
  std::array<const float*, 5> in;
  for (size_t k = 0; k < 5; ++k) in[k] = static_cast<const float*>(call.operands[k]);
  float* result = static_cast<float*>(call.result);
  for (int64_t i = 0; i < call.count; i += hn::Lanes(d)) {
    hn::StoreU(Op::call(hn::LoadU(d, in[0] + i), hn::LoadU(d, in[1] + i), hn::LoadU(d, in[2] + i),
                        hn::LoadU(d, in[3] + i), hn::LoadU(d, in[4] + i)),
               d, result + i);
  }
}

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
    return vector_math::erf(Tag(), hn::Mul(a, b));
  }
};

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
    return hn::Sub(a, hn::Div(hn::Mul(b, c), hn::Add(hn::Sqrt(e), f)));
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

struct Eq { static HWY_INLINE hn::Mask<Tag> call(Vector a, Vector b) { return hn::Eq(a, b); } };
// NaN is unequal to everything; Highway's Ne leaves it open.
struct Ne {
  static HWY_INLINE hn::Mask<Tag> call(Vector a, Vector b) { return hn::Not(hn::Eq(a, b)); }
};
struct Ge { static HWY_INLINE hn::Mask<Tag> call(Vector a, Vector b) { return hn::Ge(a, b); } };
struct Gt { static HWY_INLINE hn::Mask<Tag> call(Vector a, Vector b) { return hn::Gt(a, b); } };
struct Le { static HWY_INLINE hn::Mask<Tag> call(Vector a, Vector b) { return hn::Le(a, b); } };
struct Lt { static HWY_INLINE hn::Mask<Tag> call(Vector a, Vector b) { return hn::Lt(a, b); } };
// clang-format on

template <class Compare>
struct CompareSelect {
  static HWY_INLINE Vector call(Vector a, Vector b, Vector c, Vector e) {
    return hn::IfThenElse(Compare::call(a, b), c, e);
  }
};

// A mask as bytes of 0 and 1.
HWY_INLINE void store_pred(hn::Mask<Tag> mask, uint8_t* result) {
  const hn::RebindToSigned<Tag> di;
  const hn::Rebind<uint8_t, Tag> db;
  const auto ones = hn::IfThenElseZero(hn::RebindMask(di, mask), hn::Set(di, 1));
  hn::StoreU(hn::DemoteTo(db, ones), db, result);
}

template <class Compare>
void run_compare(const TileCall& call) {
  const Tag d;
  const float* a = static_cast<const float*>(call.operands[0]);
  const float* b = static_cast<const float*>(call.operands[1]);
  uint8_t* result = static_cast<uint8_t*>(call.result);
  for (int64_t i = 0; i < call.count; i += hn::Lanes(d)) {
    store_pred(Compare::call(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), result + i);
  }
}
void run_is_finite(const TileCall& call) {
  const Tag d;
  const float* a = static_cast<const float*>(call.operands[0]);
  uint8_t* result = static_cast<uint8_t*>(call.result);
  for (int64_t i = 0; i < call.count; i += hn::Lanes(d)) {
    store_pred(is_finite(d, hn::LoadU(d, a + i)), result + i);
  }
}
void run_select(const TileCall& call) {
  const Tag d;
  const hn::RebindToSigned<Tag> di;
  const hn::Rebind<uint8_t, Tag> db;
  const uint8_t* condition = static_cast<const uint8_t*>(call.operands[0]);
  const float* on_true = static_cast<const float*>(call.operands[1]);
  const float* on_false = static_cast<const float*>(call.operands[2]);
  float* result = static_cast<float*>(call.result);
  for (int64_t i = 0; i < call.count; i += hn::Lanes(d)) {
    const auto wide = hn::PromoteTo(di, hn::LoadU(db, condition + i));
    const auto mask = hn::RebindMask(d, hn::Ne(wide, hn::Zero(di)));
    hn::StoreU(hn::IfThenElse(mask, hn::LoadU(d, on_true + i), hn::LoadU(d, on_false + i)), d,
               result + i);
  }
}

// One pass, so that the loads and stores of the moments hide behind the root and the division.
void run_adam(const TileCall& call) {
  const Tag d;
  std::array<const float*, 8> in;
  for (size_t k = 0; k < 8; ++k) in[k] = static_cast<const float*>(call.operands[k]);
  float* p_out = static_cast<float*>(call.result);
  float* m_out = static_cast<float*>(call.also[0]);
  float* v_out = static_cast<float*>(call.also[1]);
  const int64_t count = call.count;
  for (int64_t i = 0; i < count; i += hn::Lanes(d)) {
    const Vector g = hn::LoadU(d, in[1] + i), p = hn::LoadU(d, in[5] + i);
    const Vector m = Lerp::call(hn::LoadU(d, in[0] + i), g, hn::LoadU(d, in[2] + i));
    const Vector v = SquareLerp::call(hn::LoadU(d, in[3] + i), g, hn::LoadU(d, in[4] + i));
    const Vector s = hn::LoadU(d, in[6] + i), e = hn::LoadU(d, in[7] + i);
    hn::StoreU(m, d, m_out + i);
    hn::StoreU(v, d, v_out + i);
    hn::StoreU(SubtractDivideRoot::call(p, m, s, v, e), d, p_out + i);
  }
}

// Four vectors side by side, since each step waits for the one before.
void run_polynomial(const TileCall& call) {
  const Tag d;
  const int64_t lanes = hn::Lanes(d);
  const float* a = static_cast<const float*>(call.operands[0]);
  const float* coefficients = call.table + call.parameters[0];
  const int count = call.parameters[1];
  float* result = static_cast<float*>(call.result);
  int64_t i = 0;
  for (; i + 4 * lanes <= call.count; i += 4 * lanes) {
    const Vector x0 = hn::LoadU(d, a + i), x1 = hn::LoadU(d, a + i + lanes);
    const Vector x2 = hn::LoadU(d, a + i + 2 * lanes), x3 = hn::LoadU(d, a + i + 3 * lanes);
    Vector y0 = hn::Set(d, coefficients[0]), y1 = y0, y2 = y0, y3 = y0;
    for (int k = 1; k < count; ++k) {
      const Vector c = hn::Set(d, coefficients[k]);
      y0 = hn::MulAdd(y0, x0, c);
      y1 = hn::MulAdd(y1, x1, c);
      y2 = hn::MulAdd(y2, x2, c);
      y3 = hn::MulAdd(y3, x3, c);
    }
    hn::StoreU(y0, d, result + i);
    hn::StoreU(y1, d, result + i + lanes);
    hn::StoreU(y2, d, result + i + 2 * lanes);
    hn::StoreU(y3, d, result + i + 3 * lanes);
  }
  for (; i < call.count; i += lanes) {
    const Vector x = hn::LoadU(d, a + i);
    Vector y = hn::Set(d, coefficients[0]);
    for (int k = 1; k < count; ++k) y = hn::MulAdd(y, x, hn::Set(d, coefficients[k]));
    hn::StoreU(y, d, result + i);
  }
}

template <class Inner>
TileKernel find_pair(PairOuter outer) {
  switch (outer) {
    case PairOuter::add:
      return run3<Pair<Inner, Add>>;
    case PairOuter::subtract:
      return run3<Pair<Inner, Subtract>>;
    case PairOuter::subtract_from:
      return run3<Pair<Inner, SubtractFrom>>;
    case PairOuter::multiply:
      return run3<Pair<Inner, Multiply>>;
    case PairOuter::divide:
      return run3<Pair<Inner, Divide>>;
    case PairOuter::divide_into:
      return run3<Pair<Inner, DivideInto>>;
    case PairOuter::maximum:
      return run3<Pair<Inner, Maximum>>;
    case PairOuter::minimum:
      return run3<Pair<Inner, Minimum>>;
  }
  return nullptr;
}

TileKernel find_pair_code(int offset) {
  const PairOuter outer = static_cast<PairOuter>(offset % pair_outer_count);
  switch (static_cast<PairInner>(offset / pair_outer_count)) {
    case PairInner::add:
      return find_pair<Add>(outer);
    case PairInner::subtract:
      return find_pair<Subtract>(outer);
    case PairInner::multiply:
      return find_pair<Multiply>(outer);
    case PairInner::divide:
      return find_pair<Divide>(outer);
  }
  return nullptr;
}

// long because: one line an op.
TileKernel find_public_op(TileOp op) {
  switch (op) {
    case TileOp::abs:
      return run1<Abs>;
    case TileOp::add:
      return run2<Add>;
    case TileOp::atan2:
      return run2<Atan2>;
    case TileOp::cbrt:
      return run1<Cbrt>;
    case TileOp::ceil:
      return run1<Ceil>;
    case TileOp::clamp:
      return run3<Clamp>;
    case TileOp::cosine:
      return run1<Cos>;
    case TileOp::divide:
      return run2<Divide>;
    case TileOp::erf:
      return run1<Erf>;
    case TileOp::exponential:
      return run1<Exp>;
    case TileOp::exponential_minus_one:
      return run1<Expm1>;
    case TileOp::floor:
      return run1<Floor>;
    case TileOp::is_finite:
      return run_is_finite;
    case TileOp::log:
      return run1<Log>;
    case TileOp::log_plus_one:
      return run1<Log1p>;
    case TileOp::logistic:
      return run1<Logistic>;
    case TileOp::maximum:
      return run2<Maximum>;
    case TileOp::minimum:
      return run2<Minimum>;
    case TileOp::multiply:
      return run2<Multiply>;
    case TileOp::negate:
      return run1<Negate>;
    case TileOp::power:
      return run2<Power>;
    case TileOp::round_nearest_afz:
      return run1<RoundAway>;
    case TileOp::round_nearest_even:
      return run1<RoundEven>;
    case TileOp::rsqrt:
      return run1<Rsqrt>;
    case TileOp::select:
      return run_select;
    case TileOp::sign:
      return run1<Sign>;
    case TileOp::sine:
      return run1<Sin>;
    case TileOp::sqrt:
      return run1<Sqrt>;
    case TileOp::subtract:
      return run2<Subtract>;
    case TileOp::tan:
      return run1<Tan>;
    case TileOp::tanh:
      return run1<Tanh>;
    default:
      return nullptr;
  }
}

TileKernel find_for_target(TileCode code) {
  static constexpr TileKernel compares[] = {run_compare<Eq>, run_compare<Ne>, run_compare<Ge>,
                                            run_compare<Gt>, run_compare<Le>, run_compare<Lt>};
  static constexpr TileKernel compare_selects[] = {
      run4<CompareSelect<Eq>>, run4<CompareSelect<Ne>>, run4<CompareSelect<Ge>>,
      run4<CompareSelect<Gt>>, run4<CompareSelect<Le>>, run4<CompareSelect<Lt>>};
  const auto offset_from = [&](TileCode base) {
    return static_cast<int>(code) - static_cast<int>(base);
  };
  if (static_cast<int>(code) < tile_op_count) return find_public_op(static_cast<TileOp>(code));
  if (code < TileCode::compare_total) return compares[offset_from(TileCode::compare)];
  if (code < TileCode::compare_select) return nullptr;
  if (code < TileCode::convert) return compare_selects[offset_from(TileCode::compare_select)];
  switch (code) {
    case TileCode::lerp:
      return run3<Lerp>;
    case TileCode::square_lerp:
      return run3<SquareLerp>;
    case TileCode::subtract_multiply_divide:
      return run4<SubtractMultiplyDivide>;
    case TileCode::subtract_divide_root:
      return run5<SubtractDivideRoot>;
    case TileCode::adam:
      return run_adam;
    case TileCode::sqrt_add:
      return run2<SqrtAdd>;
    case TileCode::multiply_erf:
      return run2<MultiplyErf>;
    case TileCode::square:
      return run1<Square>;
    case TileCode::polynomial:
      return run_polynomial;
    default:
      return code >= TileCode::pair ? find_pair_code(offset_from(TileCode::pair)) : nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systolic::inline v0 {
namespace kernels {

HWY_EXPORT(find_for_target);

TileKernel find_f32_kernel(TileCode code) { return HWY_DYNAMIC_DISPATCH(find_for_target)(code); }

}  // namespace kernels
}  // namespace systolic::inline v0
#endif  // HWY_ONCE
