#include "systolic/models/encoder_body.h"

#include <utility>

#include "systolic/base/error.h"
#include "systolic/models/layers.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Tensor EncoderLayer::attend(const Tensor& query, const Tensor& key, const Tensor& value,
                            const Tensor& mask, CallContext& context) const {
  const Shape& shape = query.shape();
  // Where only shapes are wanted, sizes are large stand-ins.
  if (!sparse || shape[1] <= sparse->most_in_full() || context.infers_shapes()) {
    return attention(query, key, value, sizes.heads, sizes.probability_dropout, {.mask = mask},
                     context);
  }
  const auto split = [&](const Tensor& x) {
    return reshape(x, {shape[0], shape[1], sizes.heads, shape[2] / sizes.heads});
  };
  return reshape(
      block_sparse_attention(split(query), split(key), split(value), mask, *sparse, context),
      shape);
}

Tensor EncoderLayer::call(const std::vector<Tensor>& xs, CallContext& context) const {
  const auto dense = [&](const Tensor& x, int64_t units, const char* layer,
                         Activation activation = "linear") {
    return inner(context, linear(units, sizes.initializer_range, layer, std::move(activation)),
                 {x});
  };
  const Tensor& x = xs[0];
  const int64_t size = sizes.hidden_size;
  const auto projected = [&](const char* layer) {
    Dense spec = linear(size, sizes.initializer_range, layer);
    spec.use_bias = sizes.projection_bias;
    return inner(context, std::move(spec), {x});
  };
  const Tensor query = projected(names.query), key = projected(names.key);
  const Tensor mixed = attend(query, key, projected(names.value), xs[1], context);
  const Tensor attended = dense(mixed, size, names.attention_output);
  const Tensor middle = layer_norm(
      x + dropped(attended, sizes.attention_dropout, "attention.output.dropout", context),
      sizes.layer_norm_epsilon, names.attention_norm, context);
  const Tensor wide =
      dense(middle, sizes.intermediate_size, names.inner, hidden_activation(sizes.activation));
  const Tensor narrow = dense(wide, sizes.hidden_size, names.output);
  return layer_norm(middle + dropped(narrow, sizes.output_dropout, "output.dropout", context),
                    sizes.layer_norm_epsilon, names.output_norm, context);
}

Tensor EncoderBody::embedded(const std::vector<Tensor>& xs, CallContext& context) const {
  const double range = sizes.initializer_range;
  Tensor sum = words(xs.at(0), context);
  if (word_scale != 1) sum = sum * word_scale;
  if (types > 0) {
    sum = sum + inner(context,
                      TiedEmbedding{.tokens = types,
                                    .size = embedding_size,
                                    .initializer_range = range,
                                    .name = "embeddings.token_type_embeddings"},
                      {xs.at(2)});
  }
  sum = sum + inner(context,
                    LearnedPositions{.count = positions,
                                     .size = embedding_size,
                                     .padding = padding_position,
                                     .initializer_range = range,
                                     .name = "embeddings.position_embeddings"},
                    {xs.at(0)});
  const auto normalized = [&](const Tensor& x) {
    return layer_norm(x, sizes.layer_norm_epsilon, "embeddings.LayerNorm", context);
  };
  const auto thinned = [&](const Tensor& x) {
    return dropped(x, embedding_dropout, "embeddings.dropout", context);
  };
  const Tensor kept = drops_before_norm ? normalized(thinned(sum)) : thinned(normalized(sum));
  if (projection.empty()) return kept;
  return inner(context, linear(sizes.hidden_size, range, projection), {kept});
}

// Padding is hidden by the mask; types are those of the first segment. The tables that look them up
// see no longer what the data gave: what they take is asked for here.
std::vector<Tensor> EncoderBody::padded_to_blocks(const std::vector<Tensor>& xs,
                                                  CallContext& context) const {
  const int64_t tokens = xs[0].shape()[1], block = sparse->block_size;
  const int64_t more = (block - tokens % block) % block;
  if (more == 0) return xs;
  context.want_integers_below(xs[0], vocabulary);
  if (types > 0) context.want_integers_below(xs.at(2), types);
  std::vector<Tensor> result;
  for (size_t i = 0; i < xs.size(); ++i) {
    const auto value = static_cast<double>(i == 0 ? padding_token : 0);
    result.push_back(pad(xs[i], {{0, 0}, {0, more}}, value));
  }
  return result;
}

std::vector<Tensor> EncoderBody::call(const std::vector<Tensor>& xs, CallContext& context) const {
  const int64_t tokens = xs.at(0).shape()[1];
  const bool blocks = sparse && tokens > sparse->most_in_full() && !context.infers_shapes();
  const std::vector<Tensor> padded = blocks ? padded_to_blocks(xs, context) : xs;
  Tensor x = embedded(padded, context);
  const Tensor mask = key_mask(padded.at(1));
  for (size_t i = 0; i < layers.size(); ++i) {
    EncoderLayer layer{.sizes = sizes, .names = names, .name = layers[i]};
    layer.sparse = sparse;
    if (sparse) layer.sparse->seed = static_cast<uint32_t>(i);
    x = inner(context, layer, {x, mask});
  }
  if (blocks) x = slice(x, {0, 0, 0}, {x.shape()[0], tokens, x.shape()[2]});
  if (pooler.empty()) return {x};
  const Layer dense = linear(sizes.hidden_size, sizes.initializer_range, pooler, "tanh");
  return {x, inner(context, dense, {x[{all, 0}]})};
}

std::vector<std::string> numbered_layers(const std::string& prefix, int64_t count) {
  std::vector<std::string> names;
  for (int64_t i = 0; i < count; ++i) names.push_back(str(prefix, i));
  return names;
}

}  // namespace systolic::inline v0
