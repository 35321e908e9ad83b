#include "backends/cpu/kernels/reduce/normalize_rows.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/reduce/normalize_rows.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file once per target.
#include "backends/cpu/kernels/reduce/row_vectors-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

static_assert(hn::MaxLanes(hn::ScalableTag<float>()) <= least_normalized_columns);

HWY_INLINE float sum_of(const float* x, int64_t count) {
  Sums sums;
  for_vectors(count,
              [&](const auto& load, const auto&, const auto&) HWY_ATTR { sums.add(load(x)); });
  return sums.total();
}

// `to` gets x - mean. Returns the sum of its squares.
HWY_INLINE float center(const float* x, int64_t count, float mean, float* to) {
  const Floats offset = hn::Set(hn::ScalableTag<float>(), mean);
  Sums squares;
  for_vectors(count, [&](const auto& load, const auto& store, const auto& keep) HWY_ATTR {
    const Floats centered = hn::Sub(load(x), offset);
    store(centered, to);
    const Floats kept = keep(centered);
    squares.add_product(kept, kept);
  });
  return squares.total();
}

HWY_INLINE void finish(const float* centered, int64_t count, float inverse,
                       const NormalizeRowsOperands& row) {
  const Floats factor = hn::Set(hn::ScalableTag<float>(), inverse);
  for_vectors(count, [&](const auto& load, const auto& store, const auto&) HWY_ATTR {
    Floats value = hn::Mul(load(centered), factor);
    if (row.normalized != nullptr) store(value, row.normalized);
    if (row.y == nullptr) return;
    if (row.scale != nullptr) value = hn::Mul(value, load(row.scale));
    if (row.offset != nullptr) value = hn::Add(value, load(row.offset));
    store(value, row.y);
  });
}

void normalize_for_target(const NormalizeRowsOptions& options, int64_t rows,
                          const NormalizeRowsOperands& operands) {
  const int64_t columns = options.columns;
  for (int64_t i = 0; i < rows; ++i) {
    const auto row_of = [&](float* array) {
      return array == nullptr ? nullptr : array + i * columns;
    };
    NormalizeRowsOperands row = operands;
    row.x += i * columns;
    row.centered = row_of(operands.centered);
    row.normalized = row_of(operands.normalized);
    row.y = row_of(operands.y);
    // What is not stored lies where the row's result will.
    float* centered = row.centered != nullptr ? row.centered
                      : row.y != nullptr      ? row.y
                                              : row.normalized;
    const float mean = sum_of(row.x, columns) * options.mean_factor;
    const float squares = center(row.x, columns, mean, centered);
    const float inverse = 1 / std::sqrt(squares * options.variance_factor + options.epsilon);
    if (operands.inverse != nullptr) operands.inverse[i] = inverse;
    if (row.y != nullptr || row.normalized != nullptr) finish(centered, columns, inverse, row);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systolic::inline v0 {
namespace kernels {

HWY_EXPORT(normalize_for_target);

void normalize_rows_f32(const NormalizeRowsOptions& options, int64_t rows,
                        const NormalizeRowsOperands& operands) {
  HWY_DYNAMIC_DISPATCH(normalize_for_target)(options, rows, operands);
}

}  // namespace kernels
}  // namespace systolic::inline v0
#endif  // HWY_ONCE
