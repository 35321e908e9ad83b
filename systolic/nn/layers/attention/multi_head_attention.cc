#include "systolic/nn/layers/attention/multi_head_attention.h"

#include <numeric>

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/layers/attention/attention_parts.h"
#include "systolic/trace/ops/attention.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

void check_fields(const MultiHeadAttention& spec, int query_rank) {
  check_positive("num_heads", spec.num_heads);
  check_positive("key_dim", spec.key_dim);
  if (spec.value_dim) check_positive("value_dim", *spec.value_dim);
  if (!(spec.dropout >= 0 && spec.dropout < 1)) {
    raise<InvalidArgument>(
        {.what = str("dropout is ", spec.dropout), .wanted = "from 0 to below 1"});
  }
  if (spec.attention_axes.empty()) return;
  std::vector<int64_t> between(static_cast<size_t>(query_rank - 2));
  std::iota(between.begin(), between.end(), 1);
  if (spec.attention_axes == between) return;
  raise<Unimplemented>({.what = str("attention_axes are ", join(spec.attention_axes)),
                        .wanted = str(join(between), ", the default"),
                        .hint = "reshape the other axes into the batch"});
}

}  // namespace

std::vector<Tensor> MultiHeadAttention::call(const std::vector<Tensor>& xs,
                                             CallContext& context) const {
  const ProjectedInputs in = projected_inputs(xs, context);
  check_fields(*this, xs[0].rank());
  const auto projection = [&](const char* which) {
    return Projection(projection_options(*this), which, context);
  };
  const Tensor query = projection("query").to_heads(in.query, num_heads, key_dim);
  const Tensor key = projection("key").to_heads(in.key, num_heads, key_dim);
  const Tensor value =
      projection("value").to_heads(in.value, num_heads, value_dim.value_or(key_dim));
  Tensor scores;
  // Where Keras has probabilities at hand, and does not leave them to one fused op, those of a
  // query that may attend to nothing are 0.
  const bool has_probabilities = dropout > 0 || return_attention_scores || xs[0].rank() != 3;
  AttentionOptions options{.mask = in.mask,
                           .causal = use_causal_mask,
                           .nothing_for_none = has_probabilities,
                           .weights = &scores};
  if (context.training() && dropout > 0) {
    options.dropout_rate = dropout;
    options.dropout_key = context.random_key();
    if (seed) options.dropout_key = fold_in(*options.dropout_key, static_cast<uint64_t>(*seed));
  }
  const Tensor mixed = scaled_dot_product_attention(query, key, value, options);
  std::vector<int64_t> sizes = output_shape;
  if (sizes.empty()) sizes = {xs[0].shape()[-1]};
  for (const int64_t size : sizes) check_positive("output_shape", size);
  Tensor y = projection("attention_output").from_heads(mixed, sizes);
  // The axes of the query, then those of the output.
  Shape shape = xs[0].shape().slice(0, xs[0].rank() - 1);
  for (const int64_t size : sizes) shape = shape.with_inserted(shape.rank(), size);
  if (shape.rank() != 3) y = reshape(y, shape);
  context.set_step_mask(y, context.step_mask(xs[0]));
  return return_attention_scores ? std::vector<Tensor>{y, scores} : std::vector<Tensor>{y};
}

KerasForm MultiHeadAttention::keras_form() {
  return {.silent = {{"use_gate", "false"}},
          .call_fields = {"use_causal_mask", "return_attention_scores"},
          .inputs = {"query", "value", "key"},
          .inside = {{"query", "query_dense"},
                     {"key", "key_dense"},
                     {"value", "value_dense"},
                     {"attention_output", "output_dense"}}};
}

SYSTOLIC_DEFINE_LAYER(MultiHeadAttention)

}  // namespace systolic::inline v0
