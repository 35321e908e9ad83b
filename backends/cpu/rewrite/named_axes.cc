#include "backends/cpu/rewrite/named_axes.h"

#include <algorithm>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace cpu {

bool holds(const AxisNames& names, int name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

AxisNames joined(AxisNames names, const AxisNames& more) {
  for (int name : more) {
    if (!holds(names, name)) names.push_back(name);
  }
  return names;
}

AxisNames without(AxisNames names, const AxisNames& others) {
  std::erase_if(names, [&](int name) { return holds(others, name); });
  return names;
}

NamedArray product(const NamedArray& a, const NamedArray& b, const AxisNames& kept,
                   ir::DotAttributes dot) {
  ensure(dot.lhs_batching_dimensions.empty() && dot.lhs_contracting_dimensions.empty(),
         "which axes are batched and summed follows from their names");
  AxisNames batch;
  for (size_t i = 0; i < a.axes.size(); ++i) {
    const auto found = std::find(b.axes.begin(), b.axes.end(), a.axes[i]);
    if (found == b.axes.end()) continue;
    const bool batched = holds(kept, a.axes[i]);
    if (batched) batch.push_back(a.axes[i]);
    (batched ? dot.lhs_batching_dimensions : dot.lhs_contracting_dimensions)
        .push_back(static_cast<int64_t>(i));
    (batched ? dot.rhs_batching_dimensions : dot.rhs_contracting_dimensions)
        .push_back(found - b.axes.begin());
  }
  const AxisNames free = joined(without(a.axes, b.axes), without(b.axes, a.axes));
  return {ir::dot_general(a.array, b.array, dot), joined(batch, free)};
}

ir::Value arranged(const NamedArray& x, const AxisNames& order) {
  ir::Axes permutation;
  for (int name : order) {
    permutation.push_back(std::find(x.axes.begin(), x.axes.end(), name) - x.axes.begin());
  }
  return x.axes == order ? x.array : ir::transpose(x.array, permutation);
}

ir::Value spread(const NamedArray& x, const AxisNames& axes, const Shape& shape) {
  ir::Axes dimensions;
  for (int name : x.axes) {
    dimensions.push_back(std::find(axes.begin(), axes.end(), name) - axes.begin());
  }
  return x.axes == axes ? x.array : ir::broadcast_in_dim(x.array, shape, dimensions);
}

}  // namespace cpu
}  // namespace systolic::inline v0
