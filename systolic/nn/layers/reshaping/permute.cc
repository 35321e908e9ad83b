#include "systolic/nn/layers/reshaping/permute.h"

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

namespace {

// All axes in their new order, the batch first; nothing where `order` is not each of 1 to n once.
std::optional<std::vector<int>> permutation_of(const std::vector<int64_t>& order) {
  std::vector<int> permutation{0};
  std::vector<bool> seen(order.size() + 1, false);
  for (const int64_t dim : order) {
    const bool fits = dim >= 1 && dim <= static_cast<int64_t>(order.size());
    if (!fits || seen[static_cast<size_t>(dim)]) return std::nullopt;
    seen[static_cast<size_t>(dim)] = true;
    permutation.push_back(static_cast<int>(dim));
  }
  return permutation;
}

}  // namespace

Tensor Permute::call(const Tensor& x, CallContext&) const {
  const std::vector<int64_t>& order = dims;
  const std::optional<std::vector<int>> permutation = permutation_of(order);
  if (!permutation) {
    raise<InvalidArgument>({.what = str("dims is (", join(order), ")"),
                            .wanted = str("each of 1 to ", order.size(), " once")});
  }
  check_rank(x, static_cast<int>(permutation->size()),
             "[batch, ...] with one axis for each of dims");
  return transpose(x, *permutation);
}

std::optional<SeenInput> Permute::moved(const SeenInput& x) const {
  const std::optional<std::vector<int>> permutation = permutation_of(dims);
  const Shape& given = x.shape;
  if (!permutation || static_cast<int>(permutation->size()) != given.rank()) return std::nullopt;
  Shape shape = given;
  for (int axis = 0; axis < given.rank(); ++axis)
    shape.set(axis, given[(*permutation)[static_cast<size_t>(axis)]]);
  return reordered(x, shape);
}

SYSTOLIC_DEFINE_LAYER(Permute)

}  // namespace systolic::inline v0
