#include "backends/cpu/kernels/reduce/softmax_gradient_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/reduce/softmax_gradient_rows.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file once per target.
#include "backends/cpu/kernels/reduce/row_vectors-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void softmax_gradient_for_target(int64_t rows, int64_t columns,
                                 const SoftmaxGradientOperands& operands) {
  const hn::ScalableTag<float> d;
  SoftmaxGradientOperands row = operands;
  for (int64_t i = 0; i < rows; ++i) {
    const Floats reciprocal = hn::Set(d, row.sums == nullptr ? 1 : 1 / *row.sums);
    Sums products;
    for_vectors(columns, [&](const auto& load, const auto&, const auto&) HWY_ATTR {
      // What a masked load leaves out is 0.
      products.add_product(load(row.gradient), hn::Mul(load(row.exponentials), reciprocal));
    });
    const Floats mean = hn::Set(d, products.total());
    for_vectors(columns, [&](const auto& load, const auto& store, const auto&) HWY_ATTR {
      const Floats share = hn::Mul(load(row.exponentials), reciprocal);
      store(hn::Mul(hn::Sub(load(row.gradient), mean), share), row.dx);
    });
    row.gradient += columns;
    row.exponentials += columns;
    if (row.sums != nullptr) row.sums += 1;
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

HWY_EXPORT(softmax_gradient_for_target);

void softmax_gradient_rows_f32(int64_t rows, int64_t columns,
                               const SoftmaxGradientOperands& operands) {
  HWY_DYNAMIC_DISPATCH(softmax_gradient_for_target)(rows, columns, operands);
}

}  // namespace kernels
}  // namespace systolic::inline v0
#endif  // HWY_ONCE
