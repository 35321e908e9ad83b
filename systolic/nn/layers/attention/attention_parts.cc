#include "systolic/nn/layers/attention/attention_parts.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "systolic/base/error.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// All axes between batch and features as one.
Tensor as_sequence(const Tensor& x) {
  return x.rank() == 3 ? x : reshape(x, {x.shape()[0], -1, x.shape()[-1]});
}

// Axes of size 1 between, so that masks of several ranks combine.
Tensor with_heads(const Tensor& mask) {
  if (mask.rank() == 2) return expand_dims(expand_dims(mask, 1), 1);
  if (mask.rank() == 3) return expand_dims(mask, 1);
  check_rank(mask, 4, "[batch, heads, target, source], or a mask without heads or target");
  return mask;
}

Tensor as_pred(const Tensor& mask) {
  return mask.dtype() == DType::pred ? mask : cast(mask, DType::pred);
}

std::optional<Tensor> combined(const std::vector<Tensor>& masks) {
  if (masks.empty()) return std::nullopt;
  if (masks.size() == 1) return as_pred(masks[0]);
  Tensor result = with_heads(as_pred(masks[0]));
  for (size_t i = 1; i < masks.size(); ++i) result = result & with_heads(as_pred(masks[i]));
  return result;
}

// Those given, and what is known of the steps of query, value and key: as Keras does, padding
// neither is attended to nor attends.
std::vector<Tensor> all_masks(std::vector<Tensor> given, const std::vector<Tensor>& values,
                              const CallContext& context) {
  std::vector<Tensor> known;
  for (size_t i = values.size() > 1 ? 1 : 0; i < values.size(); ++i) {
    const std::optional<Tensor> mask = context.step_mask(values[i]);
    const auto same = [&](const Tensor& other) { return other.state() == mask->state(); };
    if (!mask || values[i].rank() != 3 || std::any_of(known.begin(), known.end(), same)) continue;
    known.push_back(*mask);
  }
  given.insert(given.end(), known.begin(), known.end());
  const std::optional<Tensor> of_query = context.step_mask(values[0]);
  if (of_query && values[0].rank() == 3) given.push_back(expand_dims(*of_query, 2));
  return given;
}

}  // namespace

ProjectedInputs projected_inputs(const std::vector<Tensor>& xs, const CallContext& context) {
  const auto is_mask = [](const Tensor& x) { return !is_float(x.dtype()); };
  const auto first_mask = std::find_if(xs.begin(), xs.end(), is_mask);
  const std::vector<Tensor> values(xs.begin(), first_mask), masks(first_mask, xs.end());
  if (values.empty() || values.size() > 3 || !std::all_of(masks.begin(), masks.end(), is_mask)) {
    std::vector<std::string> types;
    for (const Tensor& x : xs) types.push_back(std::string(to_string(x.dtype())));
    raise<InvalidArgument>(
        {.what = str("called on inputs of types ", join(types)),
         .wanted = "query, value and key of floats, then masks of pred or integers"});
  }
  check_inputs(values, 1);
  for (const Tensor& x : values) check_min_rank(x, 3, "[batch, steps..., features]");
  ProjectedInputs result{.query = as_sequence(values[0]),
                         .key = {},
                         .value = {},
                         .mask = combined(all_masks(masks, values, context))};
  result.value = values.size() > 1 ? as_sequence(values[1]) : result.query;
  result.key = values.size() > 2 ? as_sequence(values[2]) : result.value;
  return result;
}

Tensor Projection::to_heads(const Tensor& x, int64_t heads, int64_t size) const {
  const int64_t in = x.shape()[-1];
  const Tensor kernel =
      reshape(weight("kernel", {in, heads, size}, options_.kernel), {in, heads * size});
  Tensor y = matmul(x, kernel);
  if (options_.use_bias)
    y = y + reshape(weight("bias", {heads, size}, options_.bias), {heads * size});
  return reshape(y, {x.shape()[0], x.shape()[1], heads, size});
}

Tensor Projection::from_heads(const Tensor& x, const std::vector<int64_t>& sizes) const {
  const int64_t heads = x.shape()[2], size = x.shape()[3];
  const int64_t out = std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
  std::vector<int64_t> shape{heads, size};
  shape.insert(shape.end(), sizes.begin(), sizes.end());
  const Tensor kernel =
      reshape(weight("kernel", Shape(shape), options_.kernel), {heads * size, out});
  Tensor y = matmul(reshape(x, {x.shape()[0], x.shape()[1], heads * size}), kernel);
  if (options_.use_bias) y = y + reshape(weight("bias", Shape(sizes), options_.bias), {out});
  return y;
}

Tensor Projection::weight(const char* which, const Shape& shape,
                          const WeightOptions& options) const {
  return context_.weight(str(name_, "/", which), shape, options);
}

}  // namespace systolic::inline v0
