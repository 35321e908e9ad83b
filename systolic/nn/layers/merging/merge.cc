#include "systolic/nn/layers/merging/merge.h"

#include <algorithm>

#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

Tensor with_rank(Tensor x, int rank) {
  while (x.rank() > 0 && x.rank() < rank) x = expand_dims(x, 1);
  return x;
}

}  // namespace

Tensor merged(const std::vector<Tensor>& xs, Tensor (*combine)(Operand, Operand)) {
  check_inputs(xs, 2);
  int rank = 0;
  for (const Tensor& x : xs) rank = std::max(rank, x.rank());
  Tensor result = with_rank(xs.front(), rank);
  for (size_t i = 1; i < xs.size(); ++i) result = combine(result, with_rank(xs[i], rank));
  return result;
}

}  // namespace systolic::inline v0
