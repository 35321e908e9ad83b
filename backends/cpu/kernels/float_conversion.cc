#include "backends/cpu/kernels/float_conversion.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/float_conversion.cc"
#include "hwy/foreach_target.h"
// Highway's headers must come after foreach_target.h.
#include "backends/cpu/kernels/matmul/pack-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {

void widen_bf16(const void* source, float* target, int64_t count) {
  convert_run(static_cast<const bfloat16*>(source), target, count);
}

void widen_f16(const void* source, float* target, int64_t count) {
  convert_run(static_cast<const float16*>(source), target, count);
}

// Highway 1.0 truncates floats to bf16; this rounds to nearest, and keeps NaN.
void narrow_bf16(const float* source, void* target, int64_t count) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::RebindToUnsigned<decltype(d)> du;
  const hn::Rebind<uint16_t, decltype(d)> half;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  auto* to = static_cast<bfloat16*>(target);
  int64_t i = 0;
  for (; i + step <= count; i += step) {
    const auto value = hn::LoadU(d, source + i);
    const auto bits = hn::BitCast(du, value);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
    const auto rounded = hn::Add(hn::Add(bits, hn::Set(du, 0x7fff)), odd);
    const auto nan = hn::RebindMask(du, hn::IsNaN(value));
    const auto quiet = hn::Or(bits, hn::Set(du, 0x400000));
    const auto result = hn::ShiftRight<16>(hn::IfThenElse(nan, quiet, rounded));
    hn::StoreU(hn::DemoteTo(half, hn::BitCast(di, result)), half,
               reinterpret_cast<uint16_t*>(to + i));
  }
  for (; i < count; ++i) to[i] = bfloat16(source[i]);
}

void narrow_f16(const float* source, void* target, int64_t count) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> half;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  auto* to = static_cast<float16*>(target);
  int64_t i = 0;
  for (; i + step <= count; i += step) {
    hn::StoreU(hn::DemoteTo(half, hn::LoadU(d, source + i)), half,
               reinterpret_cast<hwy::float16_t*>(to + i));
  }
  for (; i < count; ++i) to[i] = float16(source[i]);
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systolic::inline v0 {
namespace kernels {

HWY_EXPORT(widen_bf16);
HWY_EXPORT(widen_f16);
HWY_EXPORT(narrow_bf16);
HWY_EXPORT(narrow_f16);

void widen_floats(DType dtype, const void* source, float* target, int64_t count) {
  switch (dtype) {
    case DType::bf16:
      return HWY_DYNAMIC_DISPATCH(widen_bf16)(source, target, count);
    case DType::f16:
      return HWY_DYNAMIC_DISPATCH(widen_f16)(source, target, count);
    default:
      std::memcpy(target, source, static_cast<size_t>(count) * sizeof(float));
  }
}

void narrow_floats(DType dtype, const float* source, void* target, int64_t count) {
  switch (dtype) {
    case DType::bf16:
      return HWY_DYNAMIC_DISPATCH(narrow_bf16)(source, target, count);
    case DType::f16:
      return HWY_DYNAMIC_DISPATCH(narrow_f16)(source, target, count);
    default:
      std::memcpy(target, source, static_cast<size_t>(count) * sizeof(float));
  }
}

}  // namespace kernels
}  // namespace systolic::inline v0
#endif  // HWY_ONCE
