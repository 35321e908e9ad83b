// Written as the plain chain dot_general, add, softmax, dot_general with the scale on the query,
// which is the smallest of what it could be applied to: compilers know that chain and fuse it.
#include "systolic/trace/ops/attention.h"

#include <cmath>

#include "systolic/base/error.h"
#include "systolic/trace/operand.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// Takes the place of minus infinity: a row of nothing else stays finite.
constexpr double hidden = -1e9;

void check_operands(const Tensor& query, const Tensor& key, const Tensor& value, At at) {
  const bool four = query.rank() == 4 && key.rank() == 4 && value.rank() == 4;
  const auto same = [](const Tensor& a, const Tensor& b, int axis) {
    return a.shape()[axis] == b.shape()[axis];
  };
  const bool fits = four && same(query, key, 0) && same(query, key, 2) && same(query, key, 3) &&
                    same(key, value, 0) && same(key, value, 1) && same(key, value, 2);
  if (!fits) {
    raise<InvalidArgument>({.what = str("attention of query ", query.shape(), ", key ", key.shape(),
                                        " and value ", value.shape()),
                            .wanted = "[batch, target, heads, size], [batch, source, heads, size] "
                                      "and [batch, source, heads, value size]",
                            .location = at});
  }
  if (is_float(query.dtype()) && query.dtype() == key.dtype() && key.dtype() == value.dtype()) {
    return;
  }
  raise<InvalidArgument>({.what = str("attention of ", to_string(query.dtype()), ", ",
                                      to_string(key.dtype()), " and ", to_string(value.dtype())),
                          .wanted = "one floating type",
                          .hint = "cast the others",
                          .location = at});
}

// With axes for what it holds for all of alike: [batch, 1, target, source].
Tensor with_four_axes(const Tensor& mask, At at) {
  if (mask.rank() == 2) return expand_dims(expand_dims(mask, 1, at), 1, at);
  return mask.rank() == 3 ? expand_dims(mask, 1, at) : mask;
}

void check_broadcasts(const Tensor& x, const char* name, const Shape& scores, At at) {
  bool fits = x.rank() == 4;
  for (int axis = 0; fits && axis < 4; ++axis) {
    fits = x.shape()[axis] == 1 || x.shape()[axis] == scores[axis];
  }
  if (fits) return;
  raise<InvalidArgument>(
      {.what = str("attention of scores ", scores, " [batch, heads, target, source] with a ", name,
                   " of shape ", x.shape()),
       .wanted = "[batch, source], [batch, target, source] or [batch, heads, target, source]",
       .location = at});
}

Tensor checked_mask(const Tensor& mask, const Shape& scores, At at) {
  if (mask.dtype() != DType::pred) {
    raise<InvalidArgument>({.what = str("an attention mask of ", to_string(mask.dtype())),
                            .wanted = "pred, true where attention is allowed",
                            .hint = "write mask != 0",
                            .location = at});
  }
  const Tensor four = with_four_axes(mask, at);
  check_broadcasts(four, "mask", scores, at);
  return four;
}

// The mask of everything that hides, [1 or batch, 1 or heads, 1 or target, source].
std::optional<Tensor> whole_mask(const AttentionOptions& options, const Shape& scores, At at) {
  std::optional<Tensor> mask;
  if (options.mask) mask = checked_mask(*options.mask, scores, at);
  if (!options.causal) return mask;
  const Shape square{1, 1, scores[2], scores[3]};
  const Tensor causal =
      Operand(iota(square, 2, DType::i32, at), at) >= Operand(iota(square, 3, DType::i32, at), at);
  return mask ? Operand(*mask, at) & causal : causal;
}

// The scores with the bias, those that the mask hides far below all others.
Tensor with_bias_and_mask(Tensor scores, const AttentionOptions& options,
                          const std::optional<Tensor>& mask, At at) {
  const DType dtype = scores.dtype();
  std::optional<Tensor> bias;
  if (options.bias) {
    bias = cast({*options.bias, at}, dtype);
    check_broadcasts(*bias, "bias", scores.shape(), at);
  }
  // A mask of its own for each query may hide all keys from one, to which no gradient leads then.
  if (mask && options.mask && with_four_axes(*options.mask, at).shape()[2] > 1) {
    if (bias) scores = Operand(scores, at) + *bias;
    return where({*mask, at}, {scores, at}, fill({}, hidden, dtype, at));
  }
  if (mask) {
    const Tensor hiding = where({*mask, at}, fill({}, 0, dtype, at), fill({}, hidden, dtype, at));
    bias = bias ? Operand(*bias, at) + hiding : hiding;
  }
  return bias ? Operand(scores, at) + *bias : scores;
}

Tensor dropped(const Tensor& x, const AttentionOptions& options, At at) {
  const double rate = options.dropout_rate;
  if (!(rate >= 0 && rate < 1)) {
    raise<InvalidArgument>(
        {.what = str("dropout_rate is ", rate), .wanted = "from 0 to below 1", .location = at});
  }
  if (rate == 0) return x;
  const Tensor drawn = random_uniform(x.shape(), 0, 1, {.key = options.dropout_key}, at);
  return where(Operand(drawn, at) >= Operand(rate, at),
               Operand(x, at) * Operand(1 / (1 - rate), at), Operand(0, at));
}

// query · key' as [batch, heads, target, source], in `dtype`: products of bf16 are not rounded
// before the softmax.
Tensor scores_of(const Tensor& query, const Tensor& key, DType dtype, At at) {
  Trace& trace = Trace::current();
  trace.at(at);
  ir::DotAttributes dot;
  dot.lhs_batching_dimensions = dot.rhs_batching_dimensions = {0, 2};
  dot.lhs_contracting_dimensions = dot.rhs_contracting_dimensions = {3};
  return wrap(ir::dot_general(trace.value_of(query, at), trace.value_of(key, at), dot, dtype));
}

// query · scale, of rows as the projection made them: a compiler then adds its bias in the same
// pass.
Tensor scaled(const Tensor& query, double scale, At at) {
  const Shape& shape = query.shape();
  const Shape rows = shape.slice(0, 2).with_inserted(2, shape[2] * shape[3]);
  const Tensor flat = reshape(query, rows, at);
  return reshape(Operand(flat, at) * Operand(scale, at), query.shape(), at);
}

Tensor capped(const Tensor& scores, double cap, At at) {
  if (!(cap > 0))
    raise<InvalidArgument>(
        {.what = str("logit_cap is ", cap), .wanted = "above 0", .location = at});
  const Tensor bounded = tanh({Operand(scores, at) / Operand(cap, at), at});
  return Operand(bounded, at) * Operand(cap, at);
}

}  // namespace

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    AttentionOptions options, At at) {
  check_operands(query, key, value, at);
  const DType dtype = query.dtype();
  const bool narrow = dtype == DType::bf16 || dtype == DType::f16;
  const double size = static_cast<double>(query.shape()[3]);
  const double scale = options.scale.value_or(1 / std::sqrt(size));
  Tensor scores = scores_of(scaled(query, scale, at), key, narrow ? DType::f32 : dtype, at);
  if (options.logit_cap) scores = capped(scores, *options.logit_cap, at);
  const std::optional<Tensor> mask = whole_mask(options, scores.shape(), at);
  scores = with_bias_and_mask(scores, options, mask, at);
  Tensor weights = softmax(scores, -1, at);
  if (mask && options.nothing_for_none) {
    weights = where({*mask, at}, {weights, at}, Operand(0, at));
  }
  if (options.weights != nullptr) *options.weights = cast({weights, at}, dtype);
  return einsum("bhts,bshd->bthd", cast({dropped(weights, options, at), at}, dtype), value, at);
}

}  // namespace systolic::inline v0
