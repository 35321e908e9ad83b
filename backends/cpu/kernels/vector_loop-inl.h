// Walking arrays of f32 in vectors, for use inside Highway's per-target code.

#include <cstdint>

#include "systolic/core/dtype.h"

#if defined(SYSTOLIC_VECTOR_LOOP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SYSTOLIC_VECTOR_LOOP_INL_H_
#undef SYSTOLIC_VECTOR_LOOP_INL_H_
#else
#define SYSTOLIC_VECTOR_LOOP_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// body(tag, i) for whole vectors of [begin, end), then for what is left, one element at a time.
template <class Body>
HWY_INLINE void for_each_vector(int64_t begin, int64_t end, Body body) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = begin;
  for (; i + lanes <= end; i += lanes) body(d, i);
  const hn::CappedTag<float, 1> one;
  for (; i < end; ++i) body(one, i);
}

// Lanes of an array of f32, bf16 or f16 as f32.
template <class D>
HWY_INLINE hn::Vec<D> load_f32(D d, const float* from) {
  return hn::LoadU(d, from);
}
template <class D>
HWY_INLINE hn::Vec<D> load_f32(D d, const bfloat16* from) {
  const hn::Rebind<uint16_t, D> half;
  const hn::Rebind<uint32_t, D> bits;
  const auto loaded = hn::LoadU(half, reinterpret_cast<const uint16_t*>(from));
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(bits, loaded)));
}
template <class D>
HWY_INLINE hn::Vec<D> load_f32(D d, const float16* from) {
  const hn::Rebind<hwy::float16_t, D> half;
  return hn::PromoteTo(d, hn::LoadU(half, reinterpret_cast<const hwy::float16_t*>(from)));
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
