#include "systolic/nn/layers/reshaping/permute.h"

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Tensor Permute::call(const Tensor& x, CallContext&) const {
  const std::vector<int64_t>& order = dims;
  std::vector<int> permutation{0};
  std::vector<bool> seen(order.size() + 1, false);
  for (const int64_t dim : order) {
    const bool fits = dim >= 1 && dim <= static_cast<int64_t>(order.size());
    if (!fits || seen[static_cast<size_t>(dim)]) {
      raise<InvalidArgument>({.what = str("dims is (", join(order), ")"),
                              .wanted = str("each of 1 to ", order.size(), " once")});
    }
    seen[static_cast<size_t>(dim)] = true;
    permutation.push_back(static_cast<int>(dim));
  }
  check_rank(x, static_cast<int>(permutation.size()),
             "[batch, ...] with one axis for each of dims");
  return transpose(x, permutation);
}

SYSTOLIC_DEFINE_LAYER(Permute)

}  // namespace systolic::inline v0
