#include "systolic/nn/layers/merging/merge.h"

#include <algorithm>
#include <optional>

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/same_rank.h"
#include "systolic/nn/step_mask.h"
#include "systolic/trace/ops/elementwise.h"
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

using Combine = Tensor (*)(Operand, Operand);

// combine(combine(x0, x1), x2)...
Tensor merged(const std::vector<Tensor>& xs, Combine combine) {
  const int rank = highest_rank(xs);
  Tensor result = with_rank(xs.front(), rank);
  for (size_t i = 1; i < xs.size(); ++i) result = combine(result, with_rank(xs[i], rank));
  return result;
}

// The same where steps may be masked and no number is neutral: a step that is masked in one input
// is that of the others.
Tensor merged_real_steps(const std::vector<Tensor>& xs, Combine combine) {
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

Tensor difference(const std::vector<Tensor>& xs) {
  if (xs.size() != 2) {
    raise<InvalidArgument>({.what = str("called on ", xs.size(), " inputs"), .wanted = "two"});
  }
  return merged(xs, subtract);
}

// A masked step of an input is 1; where all are masked, the product is 0.
Tensor product(const std::vector<Tensor>& xs) {
  std::vector<Tensor> factors;
  for (const Tensor& x : xs) factors.push_back(with_masked_steps(x, 1));
  return with_masked_steps(masked_where_all_are(merged(factors, multiply), xs), 0);
}

Tensor mean_of_inputs(const std::vector<Tensor>& xs) {
  return merged(xs, add) / static_cast<double>(xs.size());
}

using Merged = Tensor (*)(const std::vector<Tensor>& xs);

#define SYSTOLIC_MERGE_ROW(name, kind, result) \
  [](const std::vector<Tensor>& xs) -> Tensor { return result; },
constexpr Merged merges[] = {SYSTOLIC_MERGES(SYSTOLIC_MERGE_ROW)};

}  // namespace

template <Merge merge>
Tensor Merging<merge>::call(const std::vector<Tensor>& xs, CallContext&) const {
  check_inputs(xs, 2);
  return masked_where_all_are(merges[static_cast<int>(merge)](xs), xs);
}

SYSTOLIC_DEFINE_LAYER(Add)
SYSTOLIC_DEFINE_LAYER(Subtract)
SYSTOLIC_DEFINE_LAYER(Multiply)
SYSTOLIC_DEFINE_LAYER(Average)
SYSTOLIC_DEFINE_LAYER(Maximum)
SYSTOLIC_DEFINE_LAYER(Minimum)

}  // namespace systolic::inline v0
