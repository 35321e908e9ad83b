#include "systolic/nn/layers/attention/group_query_attention.h"

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/layers/attention/attention_parts.h"
#include "systolic/nn/layers/noise.h"
#include "systolic/nn/layers/resize.h"
#include "systolic/trace/ops/attention.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

void check_head_groups(const GroupQueryAttention& spec) {
  check_positive("head_dim", spec.head_dim);
  check_positive("num_query_heads", spec.num_query_heads);
  check_positive("num_key_value_heads", spec.num_key_value_heads);
  if (spec.sliding_window) check_positive("sliding_window", *spec.sliding_window);
  check_rate(spec.dropout, /*with_1=*/false);
  if (spec.num_query_heads % spec.num_key_value_heads == 0) return;
  raise<InvalidArgument>({.what = str("num_query_heads is ", spec.num_query_heads.get(),
                                      ", num_key_value_heads ", spec.num_key_value_heads.get()),
                          .wanted = "a multiple of it"});
}

// Pred [1, target, source]: less than `size` steps apart.
Tensor window_mask(int64_t target, int64_t source, int64_t size) {
  const Shape shape{1, target, source};
  return abs(iota(shape, 1) - iota(shape, 2)) < static_cast<int32_t>(size);
}

// Both must hold; one of [batch, source] is for all queries.
Tensor both_hold(const std::optional<Tensor>& mask, const Tensor& other) {
  if (!mask) return other;
  if (mask->rank() == 4) return logical_and(*mask, expand_dims(other, 1));
  return logical_and(mask->rank() == 2 ? expand_dims(*mask, 1) : *mask, other);
}

}  // namespace

std::vector<Tensor> GroupQueryAttention::call(const std::vector<Tensor>& xs,
                                              CallContext& context) const {
  check_head_groups(*this);
  const ProjectedInputs in = projected_inputs(xs, context);
  check_rank(xs[0], 3, "[batch, steps, features]");
  const auto projection = [&](const char* which) {
    return Projection(projection_options(*this), which, context);
  };
  const int64_t repeats = num_query_heads / num_key_value_heads;
  const auto shared = [&](const char* which, const Tensor& x) {
    return repeat_axis(projection(which).to_heads(x, num_key_value_heads, head_dim), 2, repeats);
  };
  const Tensor query = projection("query").to_heads(in.query, num_query_heads, head_dim);
  const Tensor key = shared("key", in.key);
  std::optional<Tensor> gate;
  if (use_gate) gate = sigmoid(projection("gate").to_heads(in.query, num_query_heads, head_dim));
  const Tensor value = shared("value", in.value);
  Tensor scores;
  AttentionOptions options{.mask = in.mask,
                           .causal = use_causal_mask,
                           .nothing_for_none = dropout > 0 || return_attention_scores,
                           .weights = &scores};
  if (sliding_window) {
    options.mask =
        both_hold(in.mask, window_mask(query.shape()[1], key.shape()[1], *sliding_window));
  }
  if (context.training() && dropout > 0) {
    options.dropout_rate = dropout;
    options.dropout_key = noise_key(context, seed);
  }
  Tensor mixed = scaled_dot_product_attention(query, key, value, options);
  if (gate) mixed = mixed * *gate;
  const Tensor y = projection("attention_output").from_heads(mixed, {in.query.shape()[-1]});
  context.set_step_mask(y, context.step_mask(xs[0]));
  return return_attention_scores ? std::vector<Tensor>{y, scores} : std::vector<Tensor>{y};
}

KerasForm GroupQueryAttention::keras_form() {
  return {.silent = {{"activity_regularizer", "null"}},
          .call_fields = {"use_causal_mask", "return_attention_scores"},
          .inputs = {"query", "value", "key"},
          .inside = {{"query", "_query_dense"},
                     {"key", "_key_dense"},
                     {"gate", "_gate_dense"},
                     {"value", "_value_dense"},
                     {"attention_output", "_output_dense"}},
          .path = "grouped_query_attention"};
}

SYSTOLIC_DEFINE_LAYER(GroupQueryAttention)

}  // namespace systolic::inline v0
