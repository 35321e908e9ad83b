#include "backends/cpu/kernels/reduce/normalize_gradient_rows.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/reduce/normalize_gradient_rows.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file once per target.
#include "backends/cpu/kernels/reduce/row_vectors-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Sums over a row.
struct GradientSums {
  float scaled = 0, centered = 0, products = 0;
};

// Writes scaled[i] to `dx`, and adds the row to the sums of columns.
HWY_INLINE GradientSums scale_gradient(const NormalizeGradientOperands& row, int64_t columns) {
  const Floats inverse = hn::Set(hn::ScalableTag<float>(), *row.inverse);
  Sums scaled_sum, centered_sum, products;
  for_vectors(columns, [&](const auto& load, const auto& store, const auto&) HWY_ATTR {
    const Floats gradient = load(row.gradient), centered = load(row.centered);
    if (row.offset_sums != nullptr) {
      store(hn::Add(load(row.offset_sums), gradient), row.offset_sums);
    }
    if (row.scale_sums != nullptr) {
      const Floats normalized = hn::Mul(centered, inverse);
      store(hn::MulAdd(gradient, normalized, load(row.scale_sums)), row.scale_sums);
    }
    const Floats scaled = row.scale == nullptr ? gradient : hn::Mul(gradient, load(row.scale));
    store(scaled, row.dx);
    // What a masked load leaves out is 0.
    scaled_sum.add(scaled);
    centered_sum.add(centered);
    products.add_product(scaled, centered);
  });
  return {scaled_sum.total(), centered_sum.total(), products.total()};
}

// `dx` holds scaled[i].
HWY_INLINE void finish_gradient(const NormalizeGradientOperands& row,
                                const NormalizeGradientOptions& options, const GradientSums& sums) {
  const hn::ScalableTag<float> d;
  const float inverse = *row.inverse;
  const float by_variance = options.variance_factor * (inverse * inverse * inverse) * sums.products;
  const float flow = sums.scaled * inverse + by_variance * sums.centered;
  const Floats a = hn::Set(d, inverse), b = hn::Set(d, by_variance);
  const Floats mean = hn::Set(d, options.mean_factor * flow);
  for_vectors(options.columns, [&](const auto& load, const auto& store, const auto&) HWY_ATTR {
    const Floats of_variance = hn::MulSub(b, load(row.centered), mean);
    const Floats dx = hn::MulAdd(a, load(row.dx), of_variance);
    store(row.added == nullptr ? dx : hn::Add(dx, load(row.added)), row.dx);
  });
}

void normalize_gradient_for_target(const NormalizeGradientOptions& options, int64_t rows,
                                   const NormalizeGradientOperands& operands) {
  const int64_t columns = options.columns;
  for (float* sums : {operands.scale_sums, operands.offset_sums}) {
    if (sums != nullptr) std::fill_n(sums, columns, 0.0F);
  }
  NormalizeGradientOperands row = operands;
  for (int64_t i = 0; i < rows; ++i) {
    finish_gradient(row, options, scale_gradient(row, columns));
    row.gradient += columns;
    row.centered += columns;
    row.inverse += 1;
    if (row.added != nullptr) row.added += columns;
    row.dx += columns;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systolic::inline v0 {
namespace kernels {

HWY_EXPORT(normalize_gradient_for_target);

void normalize_gradient_rows_f32(const NormalizeGradientOptions& options, int64_t rows,
                                 const NormalizeGradientOperands& operands) {
  HWY_DYNAMIC_DISPATCH(normalize_gradient_for_target)(options, rows, operands);
}

}  // namespace kernels
}  // namespace systolic::inline v0
#endif  // HWY_ONCE
