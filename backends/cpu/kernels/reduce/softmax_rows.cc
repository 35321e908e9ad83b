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

// Rows that are worked on together, step by step: the end of a row's maximum or sum takes as long
// as many elements do, and other rows fill that time.
constexpr int64_t most_rows_together = 8;
// As many as a first-level cache holds together with their results.
int64_t rows_together(int64_t columns) {
  constexpr int64_t elements = 4096;
  return std::clamp<int64_t>(elements / columns, 1, most_rows_together);
}

// What is subtracted from each element of a row: its maximum, or NaN where it has a NaN and
// infinity.
HWY_INLINE float offset_of_row(const float* x, int64_t columns) {
  const float most = hn::GetLane(largest_of(x, columns));
  return HWY_UNLIKELY(most == INFINITY) && has_nan(x, columns) ? NAN : most;
}

// y gets the exponentials, `sums` their sums.
HWY_INLINE void exponentials_of_rows(const float* x, int64_t rows, int64_t columns, float* y,
                                     float* sums) {
  const hn::ScalableTag<float> d;
  float offsets[most_rows_together];
  for (int64_t row = 0; row < rows; ++row) offsets[row] = offset_of_row(x + row * columns, columns);
  for (int64_t row = 0; row < rows; ++row) {
    float* y_row = y + row * columns;
    sums[row] =
        hn::GetLane(exponentials(x + row * columns, columns, hn::Set(d, offsets[row]), y_row));
    // A NaN in the row makes all of it NaN. So does infinity alone, by its share: what stands
    // beside it has exponentials of 0.
    if (HWY_UNLIKELY(std::isnan(sums[row])) && offsets[row] != INFINITY) {
      std::fill_n(y_row, columns, NAN);
    }
  }
}

void softmax_for_target(const float* x, int64_t rows, int64_t columns, float* y, float* sums) {
  const hn::ScalableTag<float> d;
  const int64_t together = rows_together(columns);
  for (int64_t first = 0; first < rows; first += together) {
    const int64_t count = std::min(together, rows - first);
    float own_sums[most_rows_together];
    float* block_sums = sums != nullptr ? sums + first : own_sums;
    exponentials_of_rows(x + first * columns, count, columns, y + first * columns, block_sums);
    if (sums != nullptr) continue;
    for (int64_t row = 0; row < count; ++row) {  // a sum is 1 at least, or NaN
      scale(y + (first + row) * columns, columns,
            hn::Div(hn::Set(d, 1.0F), hn::Set(d, own_sums[row])));
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
