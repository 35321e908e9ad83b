#include "systolic/nn/layers/reshaping/zero_padding.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/layers/window.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

template <int rank>
Tensor ZeroPadding<rank>::call(const Tensor& x, CallContext&) const {
  check_rank(x, rank + 2, spatial_axes(rank));
  std::vector<std::pair<int64_t, int64_t>> all = {{0, 0}};
  for (const auto& [before, after] : padding.sides) {
    check_not_negative("padding", before);
    check_not_negative("padding", after);
    all.emplace_back(before, after);
  }
  all.emplace_back(0, 0);
  return pad(x, all);
}

SYSTOLIC_DEFINE_LAYER(ZeroPadding1D)
SYSTOLIC_DEFINE_LAYER(ZeroPadding2D)
SYSTOLIC_DEFINE_LAYER(ZeroPadding3D)

}  // namespace systolic::inline v0
