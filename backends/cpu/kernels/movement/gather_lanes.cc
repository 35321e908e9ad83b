#include "backends/cpu/kernels/movement/gather_lanes.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/movement/gather_lanes.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file once per target.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void pick(const int32_t* from, const int32_t* indices, int32_t last, int64_t count, int32_t* to) {
  const hn::ScalableTag<int32_t> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto zero = hn::Zero(d), end = hn::Set(d, last);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto index = hn::Min(hn::Max(hn::LoadU(d, indices + i), zero), end);
    hn::StoreU(hn::GatherIndex(d, from, index), d, to + i);
  }
  for (; i < count; ++i) to[i] = from[std::clamp<int32_t>(indices[i], 0, last)];
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systolic::inline v0 {
namespace kernels {

HWY_EXPORT(pick);

void pick_elements(const int32_t* from, const int32_t* indices, int32_t last, int64_t count,
                   int32_t* to) {
  HWY_DYNAMIC_DISPATCH(pick)(from, indices, last, count, to);
}

}  // namespace kernels
}  // namespace systolic::inline v0
#endif
