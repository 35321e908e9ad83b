// Threefry-2x32-20 and Philox-4x32-10 on vectors of counters, for use inside Highway's per-target
// code.

#include <cstddef>
#include <cstdint>
#include <utility>

#if defined(SYSTOLIC_RANDOM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SYSTOLIC_RANDOM_INL_H_
#undef SYSTOLIC_RANDOM_INL_H_
#else
#define SYSTOLIC_RANDOM_INL_H_
#endif

#include "backends/cpu/kernels/older_highway-inl.h"
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

// Four vectors of 64-bit lanes, each with one word of a Philox block in its lower half; the upper
// half is whatever the multiplications left there, and nobody reads it.
template <class D>
struct PhiloxWords {
  hn::Vec<D> x0, x1, x2, x3;
};

// The words of the 128-bit numbers (high, low) + offset + lane, least significant first. A carry
// out of the low half is rare: then lanes are made one by one.
template <class D>
HWY_INLINE PhiloxWords<D> wide_counter_words(D d, uint64_t low, uint64_t high, uint64_t offset) {
  const uint64_t first = low + offset;
  high += first < low ? 1 : 0;
  const auto lows = hn::Add(hn::Set(d, first), hn::Iota(d, 0));
  auto highs = hn::Set(d, high);
  const uint64_t lanes = hn::Lanes(d);
  if (HWY_UNLIKELY(first + lanes < lanes)) {
    HWY_ALIGN uint64_t carried[hn::MaxLanes(d)];
    for (uint64_t i = 0; i < lanes; ++i) carried[i] = high + (first + i < first ? 1 : 0);
    highs = hn::Load(d, carried);
  }
  return {lows, hn::ShiftRight<32>(lows), highs, hn::ShiftRight<32>(highs)};
}

// One of the ten rounds, with the key's words in both halves of each lane.
template <class D>
HWY_INLINE void philox_round(D d, uint32_t k0, uint32_t k1, PhiloxWords<D>& x) {
  const hn::Repartition<uint32_t, D> words;
  const auto product0 = hn::MulEven(hn::BitCast(words, x.x0), hn::Set(words, 0xd2511f53u));
  const auto product2 = hn::MulEven(hn::BitCast(words, x.x2), hn::Set(words, 0xcd9e8d57u));
  const auto key0 = hn::BitCast(d, hn::Set(words, k0)), key1 = hn::BitCast(d, hn::Set(words, k1));
  x.x0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(product2), x.x1), key0);
  x.x1 = product2;
  x.x2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(product0), x.x3), key1);
  x.x3 = product0;
}

// Encrypts vectors of counters in place, side by side: a round waits longer for its product than it
// computes, and a processor looks ahead no further than some rounds.
template <class D, size_t count, size_t... rounds>
HWY_INLINE void philox(D d, uint64_t key, PhiloxWords<D> (&x)[count],
                       std::index_sequence<rounds...>) {
  const auto all = [&](uint32_t round) HWY_ATTR {
    const uint32_t k0 = static_cast<uint32_t>(key) + round * 0x9e3779b9u;
    const uint32_t k1 = static_cast<uint32_t>(key >> 32) + round * 0xbb67ae85u;
    for (PhiloxWords<D>& words : x) philox_round(d, k0, k1, words);
  };
  (all(rounds), ...);
}
template <class D, size_t count>
HWY_INLINE void philox(D d, uint64_t key, PhiloxWords<D> (&x)[count]) {
  philox(d, key, x, std::make_index_sequence<10>());
}

// The blocks' words in order, four 32-bit words a block.
template <class D>
HWY_INLINE void store_blocks(D d, const PhiloxWords<D>& x, uint32_t* to) {
  const auto lower = hn::Set(d, 0xffffffffu);
  const auto first = hn::Or(hn::And(x.x0, lower), hn::ShiftLeft<32>(x.x1));
  const auto second = hn::Or(hn::And(x.x2, lower), hn::ShiftLeft<32>(x.x3));
  store_interleaved(d, first, second, reinterpret_cast<uint64_t*>(to));
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
