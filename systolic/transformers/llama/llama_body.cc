#include "systolic/transformers/llama/llama_body.h"

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/layers/asked_body.h"
#include "systolic/transformers/layers/layers.h"
#include "systolic/transformers/layers/rms_norm.h"

namespace systolic::inline v0 {
namespace {

Tensor normalized(const Tensor& x, const LlamaSizes& sizes, const char* name,
                  CallContext& context) {
  if (sizes.layer_norm) return layer_norm(x, sizes.epsilon, name, context);
  const RMSNorm norm{.epsilon = sizes.epsilon, .adds_one = sizes.norm_adds_one, .name = name};
  return inner(context, norm, {x});
}

Dense projection(int64_t units, const LlamaSizes& sizes, bool use_bias, const char* name) {
  Dense dense = linear(units, sizes.initializer_range, name);
  dense.use_bias = use_bias;
  return dense;
}

// [batch, tokens, heads, size] -> [batch, tokens, heads * size]
Tensor joined(const Tensor& x) {
  const Shape& shape = x.shape();
  return reshape(x, {shape[0], shape[1], shape[2] * shape[3]});
}

// Keys or values [batch, tokens, heads * size] -> [batch, tokens, heads * groups * size], each head
// as often as queries share it.
Tensor repeated(const Tensor& x, int64_t heads, int64_t groups) {
  if (groups == 1) return x;
  const Shape& shape = x.shape();
  const int64_t size = shape[2] / heads;
  const Tensor apart = reshape(x, {shape[0], shape[1], heads, 1, size});
  const Tensor all = broadcast_to(apart, {shape[0], shape[1], heads, groups, size});
  return reshape(all, {shape[0], shape[1], heads * groups * size});
}

// Which of the tokens before it a token sees by its window alone: pred [1, 1, tokens, tokens].
Tensor window_mask(int64_t tokens, int64_t window) {
  const Shape square{1, 1, tokens, tokens};
  return iota(square, 2) - iota(square, 3) < window;
}

}  // namespace

Tensor LlamaLayer::heads_of(const Tensor& x, int64_t heads, const char* name_of_projection,
                            CallContext& context) const {
  const Dense dense =
      projection(heads * sizes.head_size, sizes, sizes.projection_bias, name_of_projection);
  const Tensor y = inner(context, dense, {x});
  return reshape(y, {x.shape()[0], x.shape()[1], heads, sizes.head_size});
}

std::vector<Tensor> LlamaLayer::attended(const std::vector<Tensor>& xs,
                                         CallContext& context) const {
  const Rotation rotation{.cosine = xs[2], .sine = xs[3]};
  Tensor query = heads_of(xs[0], sizes.heads, "self_attn.q_proj", context);
  Tensor key = heads_of(xs[0], sizes.key_value_heads, "self_attn.k_proj", context);
  Tensor value = joined(heads_of(xs[0], sizes.key_value_heads, "self_attn.v_proj", context));
  if (sizes.normalizes_heads) {
    query = normalized(query, sizes, sizes.names.query_norm, context);
    key = normalized(key, sizes, sizes.names.key_norm, context);
  }
  if (rotates) {
    query = rotated(query, rotation);
    key = rotated(key, rotation);
  }
  key = joined(key);
  const bool reads_on = xs.size() > 4;
  if (reads_on) {
    key = with_tokens(xs[5], xs[4], key);
    value = with_tokens(xs[6], xs[4], value);
  }
  const int64_t groups = sizes.heads / sizes.key_value_heads;
  const Tensor mixed = attention(joined(query), repeated(key, sizes.key_value_heads, groups),
                                 repeated(value, sizes.key_value_heads, groups), sizes.heads,
                                 sizes.attention_dropout,
                                 {.mask = xs[1],
                                  .causal = !reads_on,
                                  .logit_cap = sizes.attention_cap,
                                  .scale = sizes.attention_scale},
                                 context);
  const Dense dense = projection(sizes.hidden_size, sizes, sizes.output_bias, sizes.names.output);
  std::vector<Tensor> results{inner(context, dense, {mixed})};
  if (reads_on) results.insert(results.end(), {key, value});
  return results;
}

Tensor LlamaLayer::mlp(const Tensor& x, CallContext& context) const {
  const auto wide = [&](const char* layer) {
    return projection(sizes.intermediate_size, sizes, sizes.mlp_bias, layer);
  };
  const Dense narrow = projection(sizes.hidden_size, sizes, sizes.mlp_bias, sizes.names.narrow);
  Dense first = wide(sizes.gated ? "mlp.gate_proj" : sizes.names.wide);
  first.activation = hidden_activation(sizes.activation);
  Tensor y = inner(context, first, {x});
  if (sizes.gated) y = y * inner(context, wide(sizes.names.wide), {x});
  return inner(context, narrow, {y});
}

std::vector<Tensor> LlamaLayer::call(const std::vector<Tensor>& xs, CallContext& context) const {
  std::vector<Tensor> inputs = xs;
  inputs[0] = normalized(xs[0], sizes, "input_layernorm", context);
  std::vector<Tensor> results = attended(inputs, context);
  const auto added = [&](const Tensor& y, const char* norm) {
    const Tensor after = sizes.normalizes_after ? normalized(y, sizes, norm, context) : y;
    return dropped(after, sizes.output_dropout, "resid_dropout", context);
  };
  const Tensor middle = xs[0] + added(results[0], "post_attention_layernorm");
  const char* norm =
      sizes.normalizes_after ? "pre_feedforward_layernorm" : "post_attention_layernorm";
  const Tensor read = sizes.parallel ? inputs[0] : normalized(middle, sizes, norm, context);
  results[0] = middle + added(mlp(read, context), "post_feedforward_layernorm");
  return results;
}

Tensor LlamaBody::embedded(const Tensor& ids, CallContext& context) const {
  const Tensor x = token_vectors(words, ids, context);
  const bool scales = word_scale != 1 && !is_float(ids.dtype());
  return dropped(scales ? x * word_scale : x, sizes.embedding_dropout, "embed_dropout", context);
}

std::vector<Rotation> LlamaBody::rotations(const Tensor& places) const {
  std::vector<Rotation> result;
  for (const RopeFrequencies& one : frequencies) result.push_back(rotation_of(places, one));
  return result;
}

LlamaLayer LlamaBody::layer(size_t i) const {
  return {.sizes = sizes, .rotates = layers[i].rotation.has_value(), .name = str("layers.", i)};
}

std::vector<LookupLimit> LlamaBody::lookups() const { return lookups_of(words); }

std::vector<Tensor> LlamaBody::call(const std::vector<Tensor>& xs, CallContext& context) const {
  if (has_caches(xs)) return call_with_caches(xs, context);
  const int64_t tokens = xs.at(0).shape()[1];
  if (frequencies_grow && tokens > positions && !context.infers_shapes())
    raise<Unimplemented>({.what = str("texts of ", tokens, " tokens with rope_type \"dynamic\""),
                          .wanted = str("at most max_position_embeddings, ", positions),
                          .location = location});
  Tensor x = embedded(xs[0], context);
  const Tensor mask = key_mask(xs.at(1));
  const std::vector<Rotation> turns = rotations(token_positions(tokens));
  for (size_t i = 0; i < layers.size(); ++i) {
    const bool is_cut = layers[i].window && *layers[i].window < tokens && !masks_pairs();
    const Tensor seen = is_cut ? logical_and(mask, window_mask(tokens, *layers[i].window)) : mask;
    const Rotation& turn = turns[layers[i].rotation.value_or(0)];
    x = through_layer(layer(i), {x, seen, turn.cosine, turn.sine}, context);
  }
  return {last_state(normalized(x, sizes, last_norm, context))};
}

std::vector<Tensor> LlamaBody::call_with_caches(const std::vector<Tensor>& xs,
                                                CallContext& context) const {
  const DecoderInputs in(xs);
  std::vector<Tensor> results{embedded(in.ids, context)};
  const std::vector<Rotation> turns = rotations(in.positions(positions));
  for (size_t i = 0; i < layers.size(); ++i) {
    const Rotation& turn = turns[layers[i].rotation.value_or(0)];
    const Tensors read = context.call(layer(i),
                                      {results[0], in.mask(layers[i].window), turn.cosine,
                                       turn.sine, in.slot, in.caches[2 * i], in.caches[2 * i + 1]},
                                      true);
    results[0] = read[0];
    results.insert(results.end(), read.begin() + 1, read.end());
  }
  results[0] = normalized(results[0], sizes, last_norm, context);
  return results;
}

}  // namespace systolic::inline v0
