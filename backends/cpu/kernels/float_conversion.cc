#include "backends/cpu/kernels/float_conversion.h"

#include <cstring>

#include "backends/cpu/kernels/native_bf16.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/float_conversion.cc"
#include "hwy/foreach_target.h"
// Highway's headers must come after foreach_target.h.
#include "backends/cpu/kernels/float_conversion-inl.h"
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

void narrow_bf16(const float* source, void* target, int64_t count) {
  round_run(source, static_cast<bfloat16*>(target), count);
}

void narrow_f16(const float* source, void* target, int64_t count) {
  round_run(source, static_cast<float16*>(target), count);
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
    case DType::bf16: {
      auto* rounded = static_cast<bfloat16*>(target);
      const int64_t done = narrow_bf16_natively(source, rounded, count);
      if (done == count) return;
      return HWY_DYNAMIC_DISPATCH(narrow_bf16)(source + done, rounded + done, count - done);
    }
    case DType::f16:
      return HWY_DYNAMIC_DISPATCH(narrow_f16)(source, target, count);
    default:
      std::memcpy(target, source, static_cast<size_t>(count) * sizeof(float));
  }
}

void narrow_floats_streaming(DType dtype, const float* source, void* target, int64_t count) {
  auto* rounded = static_cast<bfloat16*>(target);
  const int64_t done = dtype == DType::bf16 ? stream_bf16_natively(source, rounded, count) : 0;
  narrow_floats(dtype, source + done, rounded + done, count - done);
}

}  // namespace kernels
}  // namespace systolic::inline v0
#endif  // HWY_ONCE
