#include "backends/cpu/kernels/reduce/softmax_rows.h"

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

// Keeps a NaN of either.
HWY_INLINE Floats larger(Floats a, Floats b) {
  return hn::IfThenElse(hn::Or(hn::Gt(b, a), is_nan(b)), b, a);
}

// In all lanes; NaN where there is one. The last vector overlaps the one before it.
HWY_INLINE Floats largest_of(const float* x, int64_t count) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  Floats a = hn::LoadU(d, x + count - lanes), b = a;
  int64_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    a = larger(a, hn::LoadU(d, x + i));
    b = larger(b, hn::LoadU(d, x + i + lanes));
  }
  if (i + lanes <= count) a = larger(a, hn::LoadU(d, x + i));
  a = larger(a, b);
  if (HWY_UNLIKELY(!hn::AllFalse(d, is_nan(a)))) return hn::Set(d, NAN);
  return hn::MaxOfLanes(d, a);
}

// Returns the sum, in all lanes.
HWY_INLINE Floats exponentials(const float* x, int64_t count, Floats largest, float* y) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  Floats sum = hn::Zero(d);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const Floats e = vector_math::exp(d, hn::Sub(hn::LoadU(d, x + i), largest));
    hn::StoreU(e, d, y + i);
    sum = hn::Add(sum, e);
  }
  if (i < count) {
    const auto rest = hn::FirstN(d, static_cast<size_t>(count - i));
    const Floats e = vector_math::exp(d, hn::Sub(hn::MaskedLoad(rest, d, x + i), largest));
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

void softmax_for_target(const float* x, int64_t rows, int64_t columns, float* y, float* sums) {
  const hn::ScalableTag<float> d;
  for (int64_t row = 0; row < rows; ++row, x += columns, y += columns) {
    const Floats sum = exponentials(x, columns, largest_of(x, columns), y);
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
