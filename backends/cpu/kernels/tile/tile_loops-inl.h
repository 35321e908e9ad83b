// Loops over a tile of 32-bit elements, and the comparisons that f32 and integers share; compiled
// once for each instruction set.
#if defined(SYSTOLIC_TILE_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SYSTOLIC_TILE_LOOPS_INL_H_
#undef SYSTOLIC_TILE_LOOPS_INL_H_
#else
#define SYSTOLIC_TILE_LOOPS_INL_H_
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "backends/cpu/kernels/tile/tile_kernels.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// An op is a struct with a static call(...) on vectors of T, as many as it has operands.
template <class T, class Op, size_t... k>
HWY_INLINE void run_op(const TileCall& call, std::index_sequence<k...>) {
  const hn::ScalableTag<T> d;
  const std::array<const T*, sizeof...(k)> in = {static_cast<const T*>(call.operands[k])...};
  T* result = static_cast<T*>(call.result);
  const int64_t count = call.count;
  for (int64_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::StoreU(Op::call(hn::LoadU(d, in[k] + i)...), d, result + i);
  }
}
template <class T, class Op, int operands>
void run_tile_op(const TileCall& call) {
  run_op<T, Op>(call, std::make_index_sequence<operands>());
}

// clang-format off
struct Eq { template <class V> static HWY_INLINE auto call(V a, V b) { return hn::Eq(a, b); } };
// NaN is unequal to everything; Highway's Ne leaves it open.
struct Ne {
  template <class V> static HWY_INLINE auto call(V a, V b) { return hn::Not(hn::Eq(a, b)); }
};
struct Gt { template <class V> static HWY_INLINE auto call(V a, V b) { return hn::Gt(a, b); } };
struct Lt { template <class V> static HWY_INLINE auto call(V a, V b) { return hn::Lt(a, b); } };
// clang-format on

template <class Compare>
struct CompareSelect {
  template <class V>
  static HWY_INLINE V call(V a, V b, V c, V e) {
    return hn::IfThenElse(Compare::call(a, b), c, e);
  }
};

// A mask of 32-bit lanes as bytes of 0 and 1.
template <class D, class M = hn::Mask<D>>
HWY_INLINE void store_pred(D, M mask, uint8_t* result) {
  const hn::RebindToSigned<D> di;
  const hn::Rebind<uint8_t, D> db;
  const auto ones = hn::IfThenElseZero(hn::RebindMask(di, mask), hn::Set(di, 1));
  hn::StoreU(hn::DemoteTo(db, ones), db, result);
}

template <class T, class Compare>
void run_compare(const TileCall& call) {
  const hn::ScalableTag<T> d;
  const T* a = static_cast<const T*>(call.operands[0]);
  const T* b = static_cast<const T*>(call.operands[1]);
  uint8_t* result = static_cast<uint8_t*>(call.result);
  const int64_t count = call.count;
  for (int64_t i = 0; i < count; i += hn::Lanes(d)) {
    store_pred(d, Compare::call(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), result + i);
  }
}

// Bytes of 0 and 1 as a mask of 32-bit lanes.
template <class D>
HWY_INLINE hn::Mask<D> load_pred(D d, const uint8_t* from) {
  const hn::RebindToSigned<D> di;
  const hn::Rebind<uint8_t, D> db;
  return hn::RebindMask(d, hn::Ne(hn::PromoteTo(di, hn::LoadU(db, from)), hn::Zero(di)));
}

template <class T>
void run_select(const TileCall& call) {
  const hn::ScalableTag<T> d;
  const uint8_t* condition = static_cast<const uint8_t*>(call.operands[0]);
  const T* on_true = static_cast<const T*>(call.operands[1]);
  const T* on_false = static_cast<const T*>(call.operands[2]);
  T* result = static_cast<T*>(call.result);
  const int64_t count = call.count;
  for (int64_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto mask = load_pred(d, condition + i);
    hn::StoreU(hn::IfThenElse(mask, hn::LoadU(d, on_true + i), hn::LoadU(d, on_false + i)), d,
               result + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
