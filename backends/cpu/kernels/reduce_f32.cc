#include "backends/cpu/kernels/reduce_f32.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/reduce_f32.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file once per target.
#include "backends/cpu/kernels/reduce_f32-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {

float sum_for_target(const float* values, int64_t count) { return row_sum(values, count); }
float maximum_for_target(const float* values, int64_t count) { return row_maximum(values, count); }
float minimum_for_target(const float* values, int64_t count) { return row_minimum(values, count); }

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

float sum_f32(const float* values, int64_t count) {
  return HWY_DYNAMIC_DISPATCH(sum_for_target)(values, count);
}
float maximum_f32(const float* values, int64_t count) {
  return HWY_DYNAMIC_DISPATCH(maximum_for_target)(values, count);
}
float minimum_f32(const float* values, int64_t count) {
  return HWY_DYNAMIC_DISPATCH(minimum_for_target)(values, count);
}

}  // namespace kernels
}  // namespace systolic::inline v0
#endif  // HWY_ONCE
