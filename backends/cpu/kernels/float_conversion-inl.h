// Small floats to and from vectors of float, compiled once for each instruction set.
#if defined(SYSTOLIC_KERNELS_FLOAT_CONVERSION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SYSTOLIC_KERNELS_FLOAT_CONVERSION_INL_H_
#undef SYSTOLIC_KERNELS_FLOAT_CONVERSION_INL_H_
#else
#define SYSTOLIC_KERNELS_FLOAT_CONVERSION_INL_H_
#endif

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "backends/cpu/kernels/older_highway-inl.h"
#include "hwy/highway.h"
#include "systolic/core/float_types.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Highway's name of bfloat16 and of float16.
template <class Small>
using HwyFloat =
    std::conditional_t<std::is_same_v<Small, bfloat16>, hwy::bfloat16_t, hwy::float16_t>;

// target[i] = source[i] as float, for a contiguous run.
HWY_INLINE void convert_run(const float* source, float* target, int64_t count) {
  std::memcpy(target, source, static_cast<size_t>(count) * sizeof(float));
}

template <class Small>
HWY_INLINE void convert_run(const Small* source, float* target, int64_t count) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<HwyFloat<Small>, decltype(d)> small;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + step <= count; i += step) {
    const auto* from = reinterpret_cast<const HwyFloat<Small>*>(source + i);
    hn::StoreU(hn::PromoteTo(d, hn::LoadU(small, from)), d, target + i);
  }
  for (; i < count; ++i) target[i] = static_cast<float>(source[i]);
}

// The floats nearest to `value` that bf16 holds; NaN stays NaN. Highway 1.0 truncates to bf16, so
// this comes before its DemoteTo; clear bits stay right with a Highway that rounds.
template <class V>
HWY_INLINE V rounded_to_bf16(V value) {
  const hn::DFromV<V> d;
  const hn::RebindToUnsigned<decltype(d)> bits;
  const auto word = hn::BitCast(bits, value);
  const auto odd = hn::And(hn::ShiftRight<16>(word), hn::Set(bits, 1u));
  const auto up = hn::Add(word, hn::Add(odd, hn::Set(bits, 0x7fffu)));
  const auto quiet = hn::Or(word, hn::Set(bits, 0x400000u));
  const auto result = hn::IfThenElse(is_nan(value), hn::BitCast(d, quiet), hn::BitCast(d, up));
  return hn::And(result, hn::BitCast(d, hn::Set(bits, 0xffff0000u)));
}

// target[i] = source[i] rounded to nearest, ties to even, for a contiguous run.
template <class Small>
HWY_INLINE void round_run(const float* source, Small* target, int64_t count) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<HwyFloat<Small>, decltype(d)> small;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + step <= count; i += step) {
    auto value = hn::LoadU(d, source + i);
    if constexpr (std::is_same_v<Small, bfloat16>) value = rounded_to_bf16(value);
    hn::StoreU(hn::DemoteTo(small, value), small, reinterpret_cast<HwyFloat<Small>*>(target + i));
  }
  for (; i < count; ++i) target[i] = Small(source[i]);
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#endif
