#include "backends/cpu/kernels/small_float_arrays.h"

#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/small_float_arrays.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file once per target.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The low 16 bits of each lane, which are all that is set.
template <class D, class V>
HWY_INLINE void store_low_halves(D di, V bits, bfloat16* to) {
  const hn::Rebind<uint16_t, D> dh;
  hn::StoreU(hn::DemoteTo(dh, bits), dh, reinterpret_cast<uint16_t*>(to));
  (void)di;
}

void bf16_array_to_f32(const bfloat16* from, float* to, int64_t count) {
  const hn::ScalableTag<float> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const hn::Rebind<uint16_t, decltype(d)> dh;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto half = hn::LoadU(dh, reinterpret_cast<const uint16_t*>(from + i));
    hn::StoreU(hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(du, half))), d, to + i);
  }
  for (; i < count; ++i) to[i] = from[i];
}

void f32_array_to_bf16(const float* from, bfloat16* to, int64_t count) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::RebindToUnsigned<decltype(d)> du;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto value = hn::LoadU(d, from + i);
    const auto bits = hn::BitCast(du, value);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
    const auto rounded = hn::Add(hn::Add(bits, hn::Set(du, 0x7fff)), odd);
    const auto nan = hn::RebindMask(du, hn::IsNaN(value));
    const auto quiet = hn::Or(bits, hn::Set(du, 0x400000));
    const auto result = hn::ShiftRight<16>(hn::IfThenElse(nan, quiet, rounded));
    store_low_halves(di, hn::BitCast(di, result), to + i);
  }
  for (; i < count; ++i) to[i] = bfloat16(from[i]);
}

void f16_array_to_f32(const float16* from, float* to, int64_t count) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> dh;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto half = hn::LoadU(dh, reinterpret_cast<const hwy::float16_t*>(from + i));
    hn::StoreU(hn::PromoteTo(d, half), d, to + i);
  }
  for (; i < count; ++i) to[i] = from[i];
}

void f32_array_to_f16(const float* from, float16* to, int64_t count) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> dh;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto half = hn::DemoteTo(dh, hn::LoadU(d, from + i));
    hn::StoreU(half, dh, reinterpret_cast<hwy::float16_t*>(to + i));
  }
  for (; i < count; ++i) to[i] = float16(from[i]);
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systolic::inline v0 {
namespace kernels {

HWY_EXPORT(bf16_array_to_f32);
HWY_EXPORT(f32_array_to_bf16);
HWY_EXPORT(f16_array_to_f32);
HWY_EXPORT(f32_array_to_f16);

void bf16_to_f32(const bfloat16* from, float* to, int64_t count) {
  HWY_DYNAMIC_DISPATCH(bf16_array_to_f32)(from, to, count);
}
void f32_to_bf16(const float* from, bfloat16* to, int64_t count) {
  HWY_DYNAMIC_DISPATCH(f32_array_to_bf16)(from, to, count);
}
void f16_to_f32(const float16* from, float* to, int64_t count) {
  HWY_DYNAMIC_DISPATCH(f16_array_to_f32)(from, to, count);
}
void f32_to_f16(const float* from, float16* to, int64_t count) {
  HWY_DYNAMIC_DISPATCH(f32_array_to_f16)(from, to, count);
}

}  // namespace kernels
}  // namespace systolic::inline v0
#endif  // HWY_ONCE
