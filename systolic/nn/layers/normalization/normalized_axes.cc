#include "systolic/nn/layers/normalization/normalized_axes.h"

#include <algorithm>

#include "systolic/nn/input_check.h"
#include "systolic/nn/layers/normalization/statistics_dtype.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

NormalizedAxes normalized_axes(const Tensor& x, const std::vector<int64_t>& axis) {
  NormalizedAxes over;
  for (const int64_t one : axis) over.axes.push_back(checked_axis("axis", one, x.rank()));
  over.aligned = x.shape();
  for (int i = 0; i < x.rank(); ++i) {
    const bool normalized = std::find(over.axes.begin(), over.axes.end(), i) != over.axes.end();
    if (normalized) over.sizes.push_back(x.shape()[i]);
    if (!normalized) over.aligned.set(i, 1);
  }
  return over;
}

Tensor aligned_weight(CallContext& context, std::string_view name, const Tensor& x,
                      const NormalizedAxes& over, WeightOptions options) {
  const Variable weight = context.add_weight(name, Shape(over.sizes), std::move(options));
  const Tensor value = cast(weight, statistics_dtype(x));
  // The trailing axes broadcast of themselves.
  const bool trailing = over.sizes.size() == 1 && over.axes[0] == x.rank() - 1;
  return trailing ? value : reshape(value, over.aligned);
}

}  // namespace systolic::inline v0
