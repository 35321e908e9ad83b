#include "backends/cpu/kernels/reduce/reduce_f32.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/reduce/reduce_f32.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file once per target.
#include "backends/cpu/kernels/float_conversion-inl.h"
#include "backends/cpu/kernels/older_highway-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// In 8 accumulators, over as many whole vectors as there are. The order is fixed by `count` and the
// vector's length.
template <class Combine>
HWY_INLINE hn::Vec<hn::ScalableTag<float>> reduce_vectors(const float* values, int64_t count,
                                                          float neutral, Combine combine) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto start = hn::Set(d, neutral);
  auto a0 = start, a1 = start, a2 = start, a3 = start;
  auto a4 = start, a5 = start, a6 = start, a7 = start;
  int64_t i = 0;
  for (; i + 8 * lanes <= count; i += 8 * lanes) {
    a0 = combine(a0, hn::LoadU(d, values + i));
    a1 = combine(a1, hn::LoadU(d, values + i + lanes));
    a2 = combine(a2, hn::LoadU(d, values + i + 2 * lanes));
    a3 = combine(a3, hn::LoadU(d, values + i + 3 * lanes));
    a4 = combine(a4, hn::LoadU(d, values + i + 4 * lanes));
    a5 = combine(a5, hn::LoadU(d, values + i + 5 * lanes));
    a6 = combine(a6, hn::LoadU(d, values + i + 6 * lanes));
    a7 = combine(a7, hn::LoadU(d, values + i + 7 * lanes));
  }
  for (; i + lanes <= count; i += lanes) a0 = combine(a0, hn::LoadU(d, values + i));
  a0 = combine(combine(a0, a1), combine(a2, a3));
  a4 = combine(combine(a4, a5), combine(a6, a7));
  return combine(a0, a4);
}

// `combine` of vectors, and `combine_one` of numbers for the last tree and for the rest of fewer
// elements than a vector holds.
template <class Combine, class CombineOne>
HWY_INLINE float reduce(const float* values, int64_t count, float neutral, Combine combine,
                        CombineOne combine_one) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  HWY_ALIGN float parts[hn::MaxLanes(d)];
  hn::Store(reduce_vectors(values, count, neutral, combine), d, parts);
  for (int64_t half = lanes / 2; half > 0; half /= 2) {
    for (int64_t i = 0; i < half; ++i) parts[i] = combine_one(parts[i], parts[i + half]);
  }
  float total = parts[0];
  for (int64_t i = count / lanes * lanes; i < count; ++i) total = combine_one(total, values[i]);
  return total;
}

float sum_for_target(const float* values, int64_t count) {
  return reduce(
      values, count, 0.0f, [](auto a, auto b) HWY_ATTR { return hn::Add(a, b); },
      [](float a, float b) { return a + b; });
}
float maximum_for_target(const float* values, int64_t count) {
  return reduce(
      values, count, -INFINITY,
      [](auto a, auto b) HWY_ATTR { return hn::IfThenElse(hn::Or(hn::Gt(b, a), is_nan(b)), b, a); },
      [](float a, float b) { return b > a || b != b ? b : a; });
}
float minimum_for_target(const float* values, int64_t count) {
  return reduce(
      values, count, INFINITY,
      [](auto a, auto b) HWY_ATTR { return hn::IfThenElse(hn::Or(hn::Lt(b, a), is_nan(b)), b, a); },
      [](float a, float b) { return b < a || b != b ? b : a; });
}

HWY_INLINE hn::Vec<hn::ScalableTag<float>> load_floats(const float* from) {
  return hn::LoadU(hn::ScalableTag<float>(), from);
}
HWY_INLINE hn::Vec<hn::ScalableTag<float>> load_floats(const bfloat16* from) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::bfloat16_t, decltype(d)> small;
  return hn::PromoteTo(d, hn::LoadU(small, reinterpret_cast<const hwy::bfloat16_t*>(from)));
}

template <class T>
HWY_INLINE void add_rows(const std::array<const void*, 4>& rows, int64_t width, float* sums) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto row = [&](size_t k) { return static_cast<const T*>(rows[k]); };
  const T *a = row(0), *b = row(1), *c = row(2), *e = row(3);
  int64_t j = 0;
  for (; j + lanes <= width; j += lanes) {
    const auto left = hn::Add(load_floats(a + j), load_floats(b + j));
    const auto right = hn::Add(load_floats(c + j), load_floats(e + j));
    hn::StoreU(hn::Add(hn::LoadU(d, sums + j), hn::Add(left, right)), d, sums + j);
  }
  for (; j < width; ++j) {
    const float left = static_cast<float>(a[j]) + static_cast<float>(b[j]);
    const float right = static_cast<float>(c[j]) + static_cast<float>(e[j]);
    sums[j] += left + right;
  }
}
void add_four_for_target(DType dtype, const std::array<const void*, 4>& rows, int64_t width,
                         float* sums) {
  dtype == DType::bf16 ? add_rows<bfloat16>(rows, width, sums) : add_rows<float>(rows, width, sums);
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systolic::inline v0 {
namespace kernels {

HWY_EXPORT(sum_for_target);
HWY_EXPORT(maximum_for_target);
HWY_EXPORT(minimum_for_target);
HWY_EXPORT(add_four_for_target);

float sum_f32(const float* values, int64_t count) {
  return HWY_DYNAMIC_DISPATCH(sum_for_target)(values, count);
}
float maximum_f32(const float* values, int64_t count) {
  return HWY_DYNAMIC_DISPATCH(maximum_for_target)(values, count);
}
float minimum_f32(const float* values, int64_t count) {
  return HWY_DYNAMIC_DISPATCH(minimum_for_target)(values, count);
}
void add_four_rows(DType dtype, const std::array<const void*, 4>& rows, int64_t width,
                   float* sums) {
  HWY_DYNAMIC_DISPATCH(add_four_for_target)(dtype, rows, width, sums);
}

}  // namespace kernels
}  // namespace systolic::inline v0
#endif  // HWY_ONCE
