// Threefry-2x32-20 and Philox-4x32-10 on vectors of counters, for use inside Highway's per-target
// code.

#include <cstdint>

#if defined(SYSTOLIC_RANDOM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SYSTOLIC_RANDOM_INL_H_
#undef SYSTOLIC_RANDOM_INL_H_
#else
#define SYSTOLIC_RANDOM_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The low and high words of first, first + 1, ...
template <class D>
HWY_INLINE void counter_words(D d, uint64_t first, hn::Vec<D>& low, hn::Vec<D>& high) {
  const auto start = hn::Set(d, static_cast<uint32_t>(first));
  low = hn::Add(start, hn::Iota(d, 0));
  const hn::RebindToSigned<D> di;
  const auto flip = hn::Set(d, 0x80000000u);
  // Unsigned low < start: the addition carried.
  const auto carried =
      hn::Lt(hn::BitCast(di, hn::Xor(low, flip)), hn::BitCast(di, hn::Xor(start, flip)));
  const auto one = hn::BitCast(d, hn::IfThenElseZero(carried, hn::Set(di, 1)));
  high = hn::Add(hn::Set(d, static_cast<uint32_t>(first >> 32)), one);
}

// The four words of the 128-bit numbers (high, low) + offset + lane, least significant first. A
// carry out of the low half is rare: then lanes are made one by one.
template <class D>
HWY_INLINE void wide_counter_words(D d, uint64_t low, uint64_t high, uint64_t offset,
                                   hn::Vec<D>& x0, hn::Vec<D>& x1, hn::Vec<D>& x2, hn::Vec<D>& x3) {
  const uint64_t first = low + offset;
  high += first < low ? 1 : 0;
  counter_words(d, first, x0, x1);
  x2 = hn::Set(d, static_cast<uint32_t>(high));
  x3 = hn::Set(d, static_cast<uint32_t>(high >> 32));
  const uint64_t lanes = hn::Lanes(d);
  if (HWY_LIKELY(first + lanes >= lanes)) return;
  HWY_ALIGN uint32_t words[2][hn::MaxLanes(d)];
  for (uint64_t i = 0; i < lanes; ++i) {
    const uint64_t carried = high + (first + i < first ? 1 : 0);
    words[0][i] = static_cast<uint32_t>(carried);
    words[1][i] = static_cast<uint32_t>(carried >> 32);
  }
  x2 = hn::Load(d, words[0]);
  x3 = hn::Load(d, words[1]);
}

template <int by, class V>
HWY_INLINE V rotate_left(V x) {
  return hn::Or(hn::ShiftLeft<by>(x), hn::ShiftRight<32 - by>(x));
}
template <int r0, int r1, int r2, int r3, class V>
HWY_INLINE void threefry_rounds(V& x0, V& x1) {
  x0 = hn::Add(x0, x1);
  x1 = hn::Xor(rotate_left<r0>(x1), x0);
  x0 = hn::Add(x0, x1);
  x1 = hn::Xor(rotate_left<r1>(x1), x0);
  x0 = hn::Add(x0, x1);
  x1 = hn::Xor(rotate_left<r2>(x1), x0);
  x0 = hn::Add(x0, x1);
  x1 = hn::Xor(rotate_left<r3>(x1), x0);
}

// Encrypts the counters (x0, x1) in place.
template <class D, class V>
HWY_INLINE void threefry(D d, uint64_t key, V& x0, V& x1) {
  const uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  const uint32_t k2 = k0 ^ k1 ^ 0x1bd11bdau;
  const auto inject = [&](uint32_t a, uint32_t b) HWY_ATTR {
    x0 = hn::Add(x0, hn::Set(d, a));
    x1 = hn::Add(x1, hn::Set(d, b));
  };
  inject(k0, k1);
  threefry_rounds<13, 15, 26, 6>(x0, x1);
  inject(k1, k2 + 1);
  threefry_rounds<17, 29, 16, 24>(x0, x1);
  inject(k2, k0 + 2);
  threefry_rounds<13, 15, 26, 6>(x0, x1);
  inject(k0, k1 + 3);
  threefry_rounds<17, 29, 16, 24>(x0, x1);
  inject(k1, k2 + 4);
  threefry_rounds<13, 15, 26, 6>(x0, x1);
  inject(k2, k0 + 5);
}

// The high and low words of x * factor.
template <class D, class V>
HWY_INLINE void multiply_words(D d, V x, uint32_t factor, V& high, V& low) {
  const hn::RepartitionToWide<D> wide;
  const auto factors = hn::Set(d, factor);
  const auto even = hn::MulEven(x, factors);
  const auto odd = hn::MulEven(hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, x))), factors);
  low = hn::Mul(x, factors);
  high = hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, hn::ShiftRight<32>(even)));
}

// Encrypts the counters (x0, x1, x2, x3) in place.
template <class D, class V>
HWY_INLINE void philox(D d, uint64_t key, V& x0, V& x1, V& x2, V& x3) {
  uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    V high0, low0, high2, low2;
    multiply_words(d, x0, 0xd2511f53u, high0, low0);
    multiply_words(d, x2, 0xcd9e8d57u, high2, low2);
    x0 = hn::Xor(hn::Xor(high2, x1), hn::Set(d, k0));
    x1 = low2;
    x2 = hn::Xor(hn::Xor(high0, x3), hn::Set(d, k1));
    x3 = low0;
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
