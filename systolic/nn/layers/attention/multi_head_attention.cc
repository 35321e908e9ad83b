#include "systolic/nn/layers/attention/multi_head_attention.h"

#include <algorithm>
#include <numeric>

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/attention.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

struct Inputs {
  Tensor query, key, value;    // [batch, target or source, features]
  std::optional<Tensor> mask;  // pred
};

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

Inputs inputs_of(const std::vector<Tensor>& xs, const CallContext& context) {
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
  Inputs result{.query = as_sequence(values[0]),
                .key = {},
                .value = {},
                .mask = combined(all_masks(masks, values, context))};
  result.value = values.size() > 1 ? as_sequence(values[1]) : result.query;
  result.key = values.size() > 2 ? as_sequence(values[2]) : result.value;
  return result;
}

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

// The weights of one of the four projections.
class Projection {
 public:
  Projection(const MultiHeadAttention& spec, const char* name, CallContext& context)
      : spec_(spec), name_(name), context_(context) {}

  // [batch, steps, in] -> [batch, steps, heads, size]
  Tensor to_heads(const Tensor& x, int64_t size) const {
    const int64_t heads = spec_.num_heads, in = x.shape()[-1];
    const Tensor kernel = reshape(weight("kernel", {in, heads, size}), {in, heads * size});
    Tensor y = matmul(x, kernel);
    if (spec_.use_bias) y = y + reshape(weight("bias", {heads, size}), {heads * size});
    return reshape(y, {x.shape()[0], x.shape()[1], heads, size});
  }

  // [batch, steps, heads, size] -> [batch, steps, sizes...]
  Tensor from_heads(const Tensor& x, const std::vector<int64_t>& sizes) const {
    const int64_t heads = x.shape()[2], size = x.shape()[3];
    const int64_t out =
        std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
    std::vector<int64_t> shape{heads, size};
    shape.insert(shape.end(), sizes.begin(), sizes.end());
    const Tensor kernel = reshape(weight("kernel", Shape(shape)), {heads * size, out});
    Tensor y = matmul(reshape(x, {x.shape()[0], x.shape()[1], heads * size}), kernel);
    if (spec_.use_bias) y = y + reshape(weight("bias", Shape(sizes)), {out});
    return y;
  }

 private:
  Tensor weight(const char* which, const Shape& shape) const {
    const bool kernel = which[0] == 'k';
    return context_.weight(
        str(name_, "/", which), shape,
        {.initializer = kernel ? spec_.kernel_initializer : spec_.bias_initializer,
         .regularizer = kernel ? spec_.kernel_regularizer : spec_.bias_regularizer});
  }

  const MultiHeadAttention& spec_;
  const char* name_;
  CallContext& context_;
};

}  // namespace

std::vector<Tensor> MultiHeadAttention::call(const std::vector<Tensor>& xs,
                                             CallContext& context) const {
  const Inputs in = inputs_of(xs, context);
  check_fields(*this, xs[0].rank());
  const Tensor query = Projection(*this, "query", context).to_heads(in.query, key_dim);
  const Tensor key = Projection(*this, "key", context).to_heads(in.key, key_dim);
  const Tensor value =
      Projection(*this, "value", context).to_heads(in.value, value_dim.value_or(key_dim));
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
  Tensor y = Projection(*this, "attention_output", context).from_heads(mixed, sizes);
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
