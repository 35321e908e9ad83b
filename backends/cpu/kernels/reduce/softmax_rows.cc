#include "backends/cpu/kernels/reduce/softmax_rows.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/reduce/softmax_rows.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file once per target.
#include "backends/cpu/kernels/older_highway-inl.h"
#include "backends/cpu/kernels/tile/vector_math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::Vec<hn::ScalableTag<float>>;

static_assert(hn::MaxLanes(hn::ScalableTag<float>()) <= least_softmax_columns);

// In all lanes; anything where there is a NaN. The last vector overlaps the one before it.
HWY_INLINE Floats largest_of(const float* x, int64_t count) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  Floats a = hn::LoadU(d, x + count - lanes), b = a;
  int64_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    a = hn::Max(a, hn::LoadU(d, x + i));
    b = hn::Max(b, hn::LoadU(d, x + i + lanes));
  }
  if (i + lanes <= count) a = hn::Max(a, hn::LoadU(d, x + i));
  return hn::MaxOfLanes(d, hn::Max(a, b));
}

bool has_nan(const float* x, int64_t count) {
  return std::any_of(x, x + count, [](float value) { return std::isnan(value); });
}

// Returns the sum, in all lanes.
HWY_INLINE Floats exponentials(const float* x, int64_t count, Floats largest, float* y) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  Floats sum = hn::Zero(d);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const Floats e = vector_math::exp_up_to_0(d, hn::Sub(hn::LoadU(d, x + i), largest));
    hn::StoreU(e, d, y + i);
    sum = hn::Add(sum, e);
  }
  if (i < count) {
    const auto rest = hn::FirstN(d, static_cast<size_t>(count - i));
    const Floats e = vector_math::exp_up_to_0(d, hn::Sub(hn::MaskedLoad(rest, d, x + i), largest));
    store_masked(e, rest, d, y + i);
    sum = hn::Add(sum, hn::IfThenElseZero(rest, e));
  }
  return hn::SumOfLanes(d, sum);
}

HWY_INLINE void scale(float* y, int64_t count, Floats factor) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::Mul(hn::LoadU(d, y + i), factor), d, y + i);
  }
  if (i < count) {
    const auto rest = hn::FirstN(d, static_cast<size_t>(count - i));
    store_masked(hn::Mul(hn::MaskedLoad(rest, d, y + i), factor), rest, d, y + i);
  }
}

// y gets the exponentials. Returns their sum, in all lanes.
HWY_INLINE Floats exponentials_of_row(const float* x, int64_t columns, float* y) {
  const hn::ScalableTag<float> d;
  Floats largest = largest_of(x, columns);
  const float most = hn::GetLane(largest);
  if (HWY_UNLIKELY(most == INFINITY) && has_nan(x, columns)) largest = hn::Set(d, NAN);
  const Floats sum = exponentials(x, columns, largest, y);
  // A NaN in the row makes all of it NaN; beside a maximum of infinity that was done above.
  if (HWY_UNLIKELY(std::isnan(hn::GetLane(sum))) && most != INFINITY) std::fill_n(y, columns, NAN);
  return sum;
}

void softmax_for_target(const float* x, int64_t rows, int64_t columns, float* y, float* sums) {
  const hn::ScalableTag<float> d;
  for (int64_t row = 0; row < rows; ++row, x += columns, y += columns) {
    const Floats sum = exponentials_of_row(x, columns, y);
    if (sums != nullptr) {
      sums[row] = hn::GetLane(sum);
    } else {
      scale(y, columns, hn::Div(hn::Set(d, 1.0F), sum));  // the sum is 1 at least, or NaN
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systolic::inline v0 {
namespace kernels {

HWY_EXPORT(softmax_for_target);

void softmax_rows_f32(const float* x, int64_t rows, int64_t columns, float* y, float* sums) {
  HWY_DYNAMIC_DISPATCH(softmax_for_target)(x, rows, columns, y, sums);
}

}  // namespace kernels
}  // namespace systolic::inline v0
#endif  // HWY_ONCE
