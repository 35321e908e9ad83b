#include "backends/cpu/kernels/movement/gather_lanes.h"

#include <algorithm>
#include <array>
#include <cstddef>

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

// Indices are clamped by vectors and taken one by one, which is faster than gathering vectors where
// processors gather lane by lane.
void pick(const int32_t* from, const int32_t* indices, int32_t last, int64_t count, int32_t* to) {
  const hn::ScalableTag<int32_t> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto zero = hn::Zero(d), end = hn::Set(d, last);
  constexpr int64_t run = 64;  // a multiple of the lanes of each instruction set
  HWY_ALIGN std::array<int32_t, run> clamped;
  int64_t i = 0;
  for (; i + run <= count; i += run) {
    for (int64_t k = 0; k < run; k += lanes) {
      const auto index = hn::Min(hn::Max(hn::LoadU(d, indices + i + k), zero), end);
      hn::Store(index, d, clamped.data() + k);
    }
    for (size_t k = 0; k < run; k += 4) {
      // As numbers without signs, which need no widening.
      const uint32_t at[] = {
          static_cast<uint32_t>(clamped[k]), static_cast<uint32_t>(clamped[k + 1]),
          static_cast<uint32_t>(clamped[k + 2]), static_cast<uint32_t>(clamped[k + 3])};
      int32_t* target = to + i + k;
      target[0] = from[at[0]];
      target[1] = from[at[1]];
      target[2] = from[at[2]];
      target[3] = from[at[3]];
    }
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
