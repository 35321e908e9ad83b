#include "systolic/transformers/layers/layers.h"

#include "systolic/base/error.h"
#include "systolic/nn/initializers/random_normal.h"
#include "systolic/nn/layers/normalization/layer_normalization.h"
#include "systolic/nn/layers/regularization/dropout.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/layers/asked_body.h"
#include "systolic/transformers/layers/table_initializer.h"

namespace systolic::inline v0 {

namespace {

// Rows of a table [batch, tokens, size] by ids [batch, tokens], where those of one id do not learn.
Tensor looked_up(const Tensor& table, const Tensor& ids, std::optional<int64_t> unlearned) {
  const Tensor rows = gather(table, ids);
  if (!unlearned) return rows;
  const int64_t id = *unlearned < 0 ? *unlearned + table.shape()[0] : *unlearned;
  return where(expand_dims(ids == id, 2), stop_gradient(rows), rows);
}

}  // namespace

Tensor TiedEmbedding::call(const Tensor& x, CallContext& context) const {
  const WeightOptions options{.initializer = NormalTable{initializer_range, padding}};
  if (is_float(x.dtype())) {
    return matmul(cast(x, context.compute_dtype()),
                  context.weight("embeddings", {tokens, size}, options), {.transpose_b = true});
  }
  context.check_integers_below(x, tokens);
  const Variable table = context.add_weight("embeddings", {tokens, size}, options);
  const Tensor rows = looked_up(table.value(), cast(x, DType::i32), padding);
  return cast(rows, context.compute_dtype());
}

namespace {

// How many 1s there are up to each place of the last axis, itself included: [rows, n] of 0 and 1.
Tensor count_up_to(const Tensor& ones_and_zeros) {
  const int64_t n = ones_and_zeros.shape()[-1];
  const Tensor earlier = cast(iota({n, n}, 0) <= iota({n, n}, 1), DType::f32);
  return matmul(ones_and_zeros, earlier);
}

}  // namespace

Tensor LearnedPositions::call(const std::vector<Tensor>& xs, CallContext& context) const {
  const Tensor& ids = xs.at(0);
  WeightOptions options{.initializer = NormalTable{initializer_range, padding}};
  if (sinusoidal) options.initializer = SinusoidalTable{};
  const Tensor table = context.add_weight("embeddings", {count, size}, options).value();
  std::optional<Tensor> places = given_positions();
  if (xs.size() > 1) places = xs[1];
  if (places) return cast(gather(table, *places), context.compute_dtype());
  const int64_t tokens = ids.shape()[1], most = count - (padding ? *padding + 1 : 0);
  if (tokens > most && !context.infers_shapes()) {
    raise<InvalidArgument>(
        {.what = str("token ids of shape ", ids.shape(), ", sequences of ", tokens, " tokens"),
         .wanted = str("at most ", most, ": the model knows no more positions"),
         .hint = str("tokenizer(texts, {.truncation = true, .max_length = ", most, "})"),
         .location = location});
  }
  if (padding && is_float(ids.dtype())) {  // vectors: which of them pad nobody knows
    const Tensor positions = iota({1, tokens}, 1) + (*padding + 1);
    return cast(gather(table, positions), context.compute_dtype());
  }
  if (padding) {
    const Tensor real = cast(cast(ids, DType::i32) != *padding, DType::f32);
    const Tensor positions = cast(count_up_to(real) * real, DType::i32) + *padding;
    return cast(looked_up(table, positions, padding), context.compute_dtype());
  }
  if (tokens > most) return zeros({1, tokens, size}, context.compute_dtype());
  return cast(expand_dims(slice(table, {0, 0}, {tokens, size}), 0), context.compute_dtype());
}

Symbol named_output(const Symbol& x, std::string name) {
  return Layer(Output{.name = std::move(name)})(x);
}

namespace {

struct Scores {
  static constexpr const char* kind = "Scores";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  std::string name = {};

  // The scores, and perhaps which of their places count, where it is 1.
  Tensor call(const std::vector<Tensor>& xs, CallContext& context) const {
    const Tensor& x = xs.at(0);
    const Tensor y = byte_width(x.dtype()) < byte_width(DType::f32) ? cast(x, DType::f32) : x;
    if (xs.size() > 1) context.set_step_mask(y, xs[1] == 1);
    return y;
  }
};

}  // namespace

Symbol named_scores(const Symbol& x, std::string name) {
  return Layer(Scores{.name = std::move(name)})(x);
}

Symbol named_scores(const Symbol& x, const Symbol& counted, std::string name) {
  return Layer(Scores{.name = std::move(name)})({x, counted});
}

std::vector<LookupLimit> lookups_of(const Layer& words) {
  std::vector<LookupLimit> result = words.lookups();
  for (LookupLimit& one : result) one.layer = words.name();
  return result;
}

Tensor inner(CallContext& context, const Layer& layer, const std::vector<Tensor>& xs) {
  return context.call(layer, xs, true).at(0);
}

Dense linear(int64_t units, double initializer_range, std::string name, Activation activation) {
  return {.units = units,
          .activation = std::move(activation),
          .kernel_initializer = RandomNormal{.stddev = initializer_range},
          .name = std::move(name)};
}

Tensor attention(const Tensor& query, const Tensor& key, const Tensor& value, int64_t heads,
                 double dropout, AttentionOptions options, CallContext& context) {
  const auto split = [heads](const Tensor& x) {
    return reshape(x, {x.shape()[0], x.shape()[1], heads, x.shape()[2] / heads});
  };
  if (context.training() && dropout > 0) {
    options.dropout_rate = dropout;
    options.dropout_key = context.random_key();
  }
  options.weights = next_attention();
  if (masks_pairs()) options.causal = false;
  const Tensor mixed =
      scaled_dot_product_attention(split(query), split(key), split(value), std::move(options));
  return reshape(mixed, query.shape());
}

Tensor dropped(const Tensor& x, double rate, std::string name, CallContext& context) {
  return Dropout{.rate = rate, .name = std::move(name)}(x, context);
}

Tensor layer_norm(const Tensor& x, double epsilon, std::string name, CallContext& context) {
  return LayerNormalization{.epsilon = epsilon, .name = std::move(name)}(x, context);
}

namespace {

struct ActivationRow {
  const char* name;
  Tensor (*apply)(const Tensor& x);
};

// Sigmoid's approximation of GELU (Hendrycks and Gimpel 2016, section 2).
Tensor quick_gelu(const Tensor& x) { return x * sigmoid(1.702 * x); }

constexpr ActivationRow activation_rows[] = {
    {"gelu", [](const Tensor& x) { return gelu(x); }},
    {"gelu_python", [](const Tensor& x) { return gelu(x); }},
    {"gelu_new", [](const Tensor& x) { return gelu(x, true); }},
    {"gelu_fast", [](const Tensor& x) { return gelu(x, true); }},
    {"gelu_accurate", [](const Tensor& x) { return gelu(x, true); }},
    {"gelu_pytorch_tanh", [](const Tensor& x) { return gelu(x, true); }},
    {"gelu_python_tanh", [](const Tensor& x) { return gelu(x, true); }},
    {"gelu_10", [](const Tensor& x) { return clip(gelu(x), -10, 10); }},
    {"quick_gelu", quick_gelu},
    {"leaky_relu", [](const Tensor& x) { return leaky_relu(x, 0.01); }},
    {"linear", [](const Tensor& x) { return x; }},
    {"mish", [](const Tensor& x) { return mish(x); }},
    {"relu", [](const Tensor& x) { return relu(x); }},
    {"relu2", [](const Tensor& x) { return square(relu(x)); }},
    {"relu6", [](const Tensor& x) { return relu6(x); }},
    {"sigmoid", [](const Tensor& x) { return sigmoid(x); }},
    {"silu", [](const Tensor& x) { return silu(x); }},
    {"swish", [](const Tensor& x) { return silu(x); }},
    {"tanh", [](const Tensor& x) { return tanh(x); }},
};

}  // namespace

const std::vector<std::string>& hidden_activations() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all_names;
    for (const ActivationRow& row : activation_rows) all_names.emplace_back(row.name);
    return all_names;
  }();
  return names;
}

Activation hidden_activation(const std::string& name) {
  for (const ActivationRow& row : activation_rows) {
    if (row.name == name) return row.apply;
  }
  raise<InvalidArgument>({.what = str("activation '", name, "'"),
                          .wanted = str("one of ", join(hidden_activations()))});
}

Tensor key_mask(const Tensor& attention_mask) {
  const Tensor seen = expand_dims(cast(attention_mask, DType::pred), 1);
  return attention_mask.rank() == 3 ? seen : expand_dims(seen, 1);
}

Tensor shown_tokens(const Tensor& attention_mask) {
  if (attention_mask.rank() == 2) return attention_mask;
  return cast(sum(cast(attention_mask, DType::i32), {.axis = 1}) > 0, attention_mask.dtype());
}

}  // namespace systolic::inline v0
