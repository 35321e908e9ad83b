#include "systolic/nn/same_rank.h"

#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Tensor with_axes(Tensor x, int rank) {
  while (x.rank() < rank) x = expand_dims(x, -1);
  return x;
}

std::pair<Tensor, Tensor> to_same_rank(const Tensor& a, const Tensor& b) {
  if (a.rank() == b.rank() + 1 && a.shape()[-1] == 1) {
    if (b.rank() == 1) return {a, expand_dims(b, -1)};
    return {squeeze(a, {-1}), b};
  }
  if (b.rank() == a.rank() + 1 && b.shape()[-1] == 1) {
    if (a.rank() == 1) return {expand_dims(a, -1), b};
    return {a, squeeze(b, {-1})};
  }
  return {a, b};
}

}  // namespace systolic::inline v0
