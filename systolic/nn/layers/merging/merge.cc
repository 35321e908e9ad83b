#include "systolic/nn/layers/merging/merge.h"

#include <algorithm>
#include <optional>

#include "systolic/nn/input_check.h"
#include "systolic/nn/same_rank.h"
#include "systolic/nn/step_mask.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

Tensor with_rank(Tensor x, int rank) {
  while (x.rank() > 0 && x.rank() < rank) x = expand_dims(x, 1);
  return x;
}

int highest_rank(const std::vector<Tensor>& xs) {
  int rank = 0;
  for (const Tensor& x : xs) rank = std::max(rank, x.rank());
  return rank;
}

// With axes after the steps; nothing for an input that lacks axes of the others.
std::optional<Tensor> mask_with_rank(const Tensor& x, int rank) {
  const std::optional<Tensor> mask = step_mask_of(x);
  return mask && x.rank() == rank ? std::optional(with_axes(*mask, rank)) : std::nullopt;
}

}  // namespace

Tensor merged(const std::vector<Tensor>& xs, Tensor (*combine)(Operand, Operand)) {
  check_inputs(xs, 2);
  const int rank = highest_rank(xs);
  Tensor result = with_rank(xs.front(), rank);
  for (size_t i = 1; i < xs.size(); ++i) result = combine(result, with_rank(xs[i], rank));
  return result;
}

Tensor merged_real_steps(const std::vector<Tensor>& xs, Tensor (*combine)(Operand, Operand)) {
  check_inputs(xs, 2);
  const int rank = highest_rank(xs);
  Tensor result = with_rank(xs.front(), rank);
  std::optional<Tensor> real = mask_with_rank(xs.front(), rank);
  for (size_t i = 1; i < xs.size(); ++i) {
    Tensor x = with_rank(xs[i], rank);
    const std::optional<Tensor> mask = mask_with_rank(xs[i], rank);
    if (mask) x = where(*mask, x, result);
    if (real) result = where(*real, result, x);
    real = mask && real ? std::optional(logical_or(*real, *mask)) : std::nullopt;
    result = combine(result, x);
  }
  return result;
}

}  // namespace systolic::inline v0
