// Vector kernels for tiles of f32.
#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/tile/tile_kernels_f32.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file once per target.
#include "backends/cpu/kernels/tile/tile_kernels.h"
#include "backends/cpu/kernels/tile/tile_loops-inl.h"
#include "backends/cpu/kernels/tile/tile_ops_f32-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {

template <class Op>
constexpr TileKernel run1 = run_tile_op<float, Op, 1>;
template <class Op>
constexpr TileKernel run2 = run_tile_op<float, Op, 2>;
template <class Op>
constexpr TileKernel run3 = run_tile_op<float, Op, 3>;
template <class Op>
constexpr TileKernel run4 = run_tile_op<float, Op, 4>;
template <class Op>
constexpr TileKernel run5 = run_tile_op<float, Op, 5>;

void run_is_finite(const TileCall& call) {
  const Tag d;
  const float* a = static_cast<const float*>(call.operands[0]);
  uint8_t* result = static_cast<uint8_t*>(call.result);
  for (int64_t i = 0; i < call.count; i += hn::Lanes(d)) {
    store_pred(d, is_finite(d, hn::LoadU(d, a + i)), result + i);
  }
}
void run_select_product(const TileCall& call) {
  const Tag d;
  const uint8_t* mask = static_cast<const uint8_t*>(call.operands[0]);
  std::array<const float*, 3> in;
  for (size_t k = 0; k < 3; ++k) in[k] = static_cast<const float*>(call.operands[k + 1]);
  float* result = static_cast<float*>(call.result);
  const int64_t count = call.count;
  for (int64_t i = 0; i < count; i += hn::Lanes(d)) {
    const Vector product = hn::Mul(hn::LoadU(d, in[0] + i), hn::LoadU(d, in[1] + i));
    hn::StoreU(hn::IfThenElse(load_pred(d, mask + i), product, hn::LoadU(d, in[2] + i)), d,
               result + i);
  }
}
// One pass, so that the root and the division hide the loads and stores of the moments; two vectors
// a round, which do not wait for each other. Rates that are the same everywhere stay in registers.
template <bool same_rates>
void run_adam_tile(const TileCall& call) {
  const Tag d;
  std::array<const float*, 8> in;
  for (size_t k = 0; k < 8; ++k) in[k] = static_cast<const float*>(call.operands[k]);
  float* p_out = static_cast<float*>(call.result);
  float* m_out = static_cast<float*>(call.also[0]);
  float* v_out = static_cast<float*>(call.also[1]);
  const Vector a0 = hn::LoadU(d, in[2]), b0 = hn::LoadU(d, in[4]);
  const Vector s0 = hn::LoadU(d, in[6]), e0 = hn::LoadU(d, in[7]);
  const auto rate = [&](int64_t k, Vector same, int64_t i) HWY_ATTR {
    return same_rates ? same : hn::LoadU(d, in[static_cast<size_t>(k)] + i);
  };
  const auto update = [&](int64_t i) HWY_ATTR {
    const Vector g = hn::LoadU(d, in[1] + i), p = hn::LoadU(d, in[5] + i);
    const Vector m = Lerp::call(hn::LoadU(d, in[0] + i), g, rate(2, a0, i));
    const Vector v = SquareLerp::call(hn::LoadU(d, in[3] + i), g, rate(4, b0, i));
    const Vector s = rate(6, s0, i), e = rate(7, e0, i);
    hn::StoreU(m, d, m_out + i);
    hn::StoreU(v, d, v_out + i);
    return SubtractDivideRoot::call(p, m, s, v, e);
  };
  const int64_t count = call.count, lanes = hn::Lanes(d);
  int64_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    const Vector first = update(i), second = update(i + lanes);
    hn::StoreU(first, d, p_out + i);
    hn::StoreU(second, d, p_out + i + lanes);
  }
  for (; i < count; i += lanes) hn::StoreU(update(i), d, p_out + i);
}
void run_adam(const TileCall& call) {
  call.parameters[0] != 0 ? run_adam_tile<true>(call) : run_adam_tile<false>(call);
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

void run_gelu_gradient(const TileCall& call) {
  const Tag d;
  const float* gradient = static_cast<const float*>(call.operands[0]);
  const float* x = static_cast<const float*>(call.operands[1]);
  float* result = static_cast<float*>(call.result);
  const float* numbers = call.table + call.parameters[0];
  const Vector c = hn::Set(d, numbers[gelu_c]), p = hn::Set(d, numbers[gelu_p]),
               q = hn::Set(d, numbers[gelu_q]);
  for (int64_t i = 0; i < call.count; i += hn::Lanes(d)) {
    const Vector slope = gelu_slope(hn::LoadU(d, x + i), c, p, q);
    hn::StoreU(hn::Mul(hn::LoadU(d, gradient + i), slope), d, result + i);
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
      return run_select<float>;
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
  static constexpr TileKernel compares[] = {run_compare<float, Eq>, run_compare<float, Ne>,
                                            run_compare<float, Ge>, run_compare<float, Gt>,
                                            run_compare<float, Le>, run_compare<float, Lt>};
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
    case TileCode::gelu:
      return run2<Gelu>;
    case TileCode::add_gelu:
      return run3<AddGelu>;
    case TileCode::gelu_gradient:
      return run_gelu_gradient;
    case TileCode::select_product:
      return run_select_product;
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
