#include "backends/cpu/kernels/movement/fill_run.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/movement/fill_run.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file once per target.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void fill_run_for_target(uint32_t bits, int64_t count, uint32_t* to) {
  const hn::ScalableTag<uint32_t> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto value = hn::Set(d, bits);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(value, d, to + i);
  for (; i < count; ++i) to[i] = bits;
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systolic::inline v0 {
namespace kernels {

HWY_EXPORT(fill_run_for_target);

void fill_run_32(uint32_t bits, int64_t count, uint32_t* to) {
  HWY_DYNAMIC_DISPATCH(fill_run_for_target)(bits, count, to);
}

}  // namespace kernels
}  // namespace systolic::inline v0
#endif  // HWY_ONCE
