// Reductions over one contiguous row of f32, for use inside Highway's per-target code: by softmax
// and layer normalization, and behind reduce_f32.h. The order of the additions is fixed by `count`
// and the vector's length.

#include <cmath>
#include <cstdint>

#if defined(SYSTOLIC_REDUCE_F32_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SYSTOLIC_REDUCE_F32_INL_H_
#undef SYSTOLIC_REDUCE_F32_INL_H_
#else
#define SYSTOLIC_REDUCE_F32_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// combine(accumulator, map(vector at i), i) over a row, in 8 accumulators; the last elements are
// loaded with `filler` behind them.
template <class Map, class Combine>
HWY_INLINE hn::Vec<hn::ScalableTag<float>> reduce_row_vectors(int64_t count, float neutral, Map map,
                                                              Combine combine) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto start = hn::Set(d, neutral);
  auto a0 = start, a1 = start, a2 = start, a3 = start;
  auto a4 = start, a5 = start, a6 = start, a7 = start;
  int64_t i = 0;
  for (; i + 8 * lanes <= count; i += 8 * lanes) {
    a0 = combine(a0, map(i));
    a1 = combine(a1, map(i + lanes));
    a2 = combine(a2, map(i + 2 * lanes));
    a3 = combine(a3, map(i + 3 * lanes));
    a4 = combine(a4, map(i + 4 * lanes));
    a5 = combine(a5, map(i + 5 * lanes));
    a6 = combine(a6, map(i + 6 * lanes));
    a7 = combine(a7, map(i + 7 * lanes));
  }
  for (; i + lanes <= count; i += lanes) a0 = combine(a0, map(i));
  a0 = combine(combine(a0, a1), combine(a2, a3));
  a4 = combine(combine(a4, a5), combine(a6, a7));
  return combine(a0, a4);
}

// The same with a rest of fewer elements than a vector holds, given one by one.
template <class Map, class MapOne, class Combine, class CombineOne>
HWY_INLINE float reduce_row(int64_t count, float neutral, Map map, MapOne map_one, Combine combine,
                            CombineOne combine_one) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  HWY_ALIGN float parts[hn::MaxLanes(d)];
  hn::Store(reduce_row_vectors(count, neutral, map, combine), d, parts);
  // A tree over the lanes.
  for (int64_t half = lanes / 2; half > 0; half /= 2) {
    for (int64_t i = 0; i < half; ++i) parts[i] = combine_one(parts[i], parts[i + half]);
  }
  float total = parts[0];
  for (int64_t i = count / lanes * lanes; i < count; ++i) total = combine_one(total, map_one(i));
  return total;
}

HWY_INLINE float row_sum(const float* values, int64_t count) {
  const hn::ScalableTag<float> d;
  return reduce_row(
      count, 0.0f, [&](int64_t i) HWY_ATTR { return hn::LoadU(d, values + i); },
      [&](int64_t i) { return values[i]; }, [](auto a, auto b) HWY_ATTR { return hn::Add(a, b); },
      [](float a, float b) { return a + b; });
}
HWY_INLINE float row_maximum(const float* values, int64_t count) {
  const hn::ScalableTag<float> d;
  return reduce_row(
      count, -INFINITY, [&](int64_t i) HWY_ATTR { return hn::LoadU(d, values + i); },
      [&](int64_t i) { return values[i]; },
      [](auto a, auto b)
          HWY_ATTR { return hn::IfThenElse(hn::Or(hn::Gt(b, a), hn::IsNaN(b)), b, a); },
      [](float a, float b) { return b > a || b != b ? b : a; });
}
HWY_INLINE float row_minimum(const float* values, int64_t count) {
  const hn::ScalableTag<float> d;
  return reduce_row(
      count, INFINITY, [&](int64_t i) HWY_ATTR { return hn::LoadU(d, values + i); },
      [&](int64_t i) { return values[i]; },
      [](auto a, auto b)
          HWY_ATTR { return hn::IfThenElse(hn::Or(hn::Lt(b, a), hn::IsNaN(b)), b, a); },
      [](float a, float b) { return b < a || b != b ? b : a; });
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
