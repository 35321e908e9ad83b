// Vector kernels for tiles of i32 and u32: what the loops that the compiler vectorizes are slow at,
// which is what goes from elements to bytes of 0 and 1, and back. Indices are normalized by such
// ops.
#include <array>
#include <cstddef>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/tile/tile_kernels_i32.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file once per target.
#include "backends/cpu/kernels/tile/tile_kernels.h"
#include "backends/cpu/kernels/tile/tile_loops-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {

// Older Highways compare integers by these only.
struct NotLess {
  template <class V>
  static HWY_INLINE auto call(V a, V b) {
    return hn::Not(hn::Lt(a, b));
  }
};
struct NotGreater {
  template <class V>
  static HWY_INLINE auto call(V a, V b) {
    return hn::Not(hn::Gt(a, b));
  }
};

struct FromTheEnd {
  template <class V>
  static HWY_INLINE V call(V a, V b) {
    const hn::ScalableTag<int32_t> d;
    return hn::Add(a, hn::IfThenElseZero(hn::Lt(a, hn::Zero(d)), b));
  }
};

void run_within(const TileCall& call) {
  const hn::ScalableTag<int32_t> d;
  std::array<const int32_t*, 3> in;
  for (size_t k = 0; k < 3; ++k) in[k] = static_cast<const int32_t*>(call.operands[k]);
  uint8_t* result = static_cast<uint8_t*>(call.result);
  const int64_t count = call.count;
  for (int64_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto a = hn::LoadU(d, in[0] + i);
    const auto low = hn::LoadU(d, in[1] + i), high = hn::LoadU(d, in[2] + i);
    store_pred(d, hn::And(NotLess::call(a, low), NotGreater::call(a, high)), result + i);
  }
}

template <class Compare>
constexpr TileKernel compare = run_compare<int32_t, Compare>;
template <class Compare>
constexpr TileKernel compare_select = run_tile_op<int32_t, CompareSelect<Compare>, 4>;

// a >= b of unsigned numbers: the order of these is that of signed ones with another first bit.
template <class V>
HWY_INLINE auto reaches(V a, V b) {
  const auto flip = hn::Set(hn::DFromV<V>(), INT32_MIN);
  return NotLess::call(hn::Xor(a, flip), hn::Xor(b, flip));
}

// For u32: asks whether random bits reach a limit.
void run_reaches(const TileCall& call) {
  const hn::ScalableTag<int32_t> d;
  const int32_t* a = static_cast<const int32_t*>(call.operands[0]);
  const int32_t* b = static_cast<const int32_t*>(call.operands[1]);
  uint8_t* result = static_cast<uint8_t*>(call.result);
  const int64_t count = call.count;
  for (int64_t i = 0; i < count; i += hn::Lanes(d)) {
    store_pred(d, reaches(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), result + i);
  }
}

void run_keep_product(const TileCall& call) {
  const hn::ScalableTag<int32_t> d;
  const hn::ScalableTag<float> df;
  const int32_t* words = static_cast<const int32_t*>(call.operands[0]);
  const int32_t* limits = static_cast<const int32_t*>(call.operands[1]);
  std::array<const float*, 3> in;
  for (size_t k = 0; k < 3; ++k) in[k] = static_cast<const float*>(call.operands[k + 2]);
  float* result = static_cast<float*>(call.result);
  uint8_t* mask = static_cast<uint8_t*>(call.also[0]);
  const int64_t count = call.count;
  for (int64_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto keeps = reaches(hn::LoadU(d, words + i), hn::LoadU(d, limits + i));
    const auto product = hn::Mul(hn::LoadU(df, in[0] + i), hn::LoadU(df, in[1] + i));
    store_pred(d, keeps, mask + i);
    hn::StoreU(hn::IfThenElse(hn::RebindMask(df, keeps), product, hn::LoadU(df, in[2] + i)), df,
               result + i);
  }
}

TileKernel find_u32_for_target(TileCode code) {
  if (code == TileCode::keep_product) return run_keep_product;
  return code == TileCode::compare + static_cast<int>(CompareDirection::ge) ? run_reaches : nullptr;
}

TileKernel find_i32_for_target(TileCode code) {
  static constexpr TileKernel compares[] = {compare<Eq>, compare<Ne>,         compare<NotLess>,
                                            compare<Gt>, compare<NotGreater>, compare<Lt>};
  static constexpr TileKernel compare_selects[] = {compare_select<Eq>,         compare_select<Ne>,
                                                   compare_select<NotLess>,    compare_select<Gt>,
                                                   compare_select<NotGreater>, compare_select<Lt>};
  const int value = static_cast<int>(code);
  if (code == code_of(TileOp::select)) return run_select<int32_t>;
  if (code == TileCode::within) return run_within;
  if (code == TileCode::from_the_end) return run_tile_op<int32_t, FromTheEnd, 2>;
  if (code >= TileCode::compare && code < TileCode::compare_total) {
    return compares[value - static_cast<int>(TileCode::compare)];
  }
  if (code >= TileCode::compare_select && code < TileCode::convert) {
    return compare_selects[value - static_cast<int>(TileCode::compare_select)];
  }
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systolic::inline v0 {
namespace kernels {

HWY_EXPORT(find_i32_for_target);
HWY_EXPORT(find_u32_for_target);

TileKernel find_i32_kernel(TileCode code) {
  return HWY_DYNAMIC_DISPATCH(find_i32_for_target)(code);
}

TileKernel find_u32_kernel(TileCode code) {
  return HWY_DYNAMIC_DISPATCH(find_u32_for_target)(code);
}

}  // namespace kernels
}  // namespace systolic::inline v0
#endif  // HWY_ONCE
