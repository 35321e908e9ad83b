// What Highway has had since 1.0 and Ubuntu 22.04's Highway 0.16 lacks, compiled once for each
// instruction set.
#if defined(SYSTOLIC_KERNELS_OLDER_HIGHWAY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SYSTOLIC_KERNELS_OLDER_HIGHWAY_INL_H_
#undef SYSTOLIC_KERNELS_OLDER_HIGHWAY_INL_H_
#else
#define SYSTOLIC_KERNELS_OLDER_HIGHWAY_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <limits>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class V>
HWY_INLINE auto is_nan(V value) {
#if HWY_MAJOR >= 1
  return hn::IsNaN(value);
#else
  return hn::Not(hn::Eq(value, value));  // Ne is false where an operand is NaN
#endif
}

// NaN compares as false, so it is not finite.
template <class D, class V>
HWY_INLINE auto is_finite(D d, V value) {
  return hn::Lt(hn::Abs(value), hn::Set(d, std::numeric_limits<hn::TFromD<D>>::infinity()));
}

// Writes the lanes whose mask is set, and no byte beyond them.
template <class D, class V, class M>
HWY_INLINE void store_masked(V value, M mask, D d, hn::TFromD<D>* to) {
#if HWY_MAJOR >= 1
  hn::BlendedStore(value, mask, d, to);
#else
  hn::TFromD<D> lanes[hn::MaxLanes(D())];
  uint8_t bits[(hn::MaxLanes(D()) + 7) / 8 + 8] = {};  // whole words are written
  hn::StoreU(value, d, lanes);
  hn::StoreMaskBits(d, mask, bits);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    if (bits[i / 8] >> (i % 8) & 1) to[i] = lanes[i];
  }
#endif
}

// to[2 i] = even[i], to[2 i + 1] = odd[i]
template <class D, class V = hn::Vec<D>>
HWY_INLINE void store_interleaved(D d, V even, V odd, hn::TFromD<D>* to) {
#if HWY_MAJOR >= 1
  hn::StoreInterleaved2(even, odd, d, to);
#else
  hn::TFromD<D> lanes[2][hn::MaxLanes(D())];
  hn::StoreU(even, d, lanes[0]);
  hn::StoreU(odd, d, lanes[1]);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    to[2 * i] = lanes[0][i];
    to[2 * i + 1] = lanes[1][i];
  }
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#endif
