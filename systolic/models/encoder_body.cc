#include "systolic/models/encoder_body.h"

#include <utility>

#include "systolic/base/error.h"
#include "systolic/models/layers.h"

namespace systolic::inline v0 {

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
  const Tensor mixed =
      attention(projected(names.query), projected(names.key), projected(names.value), sizes.heads,
                sizes.probability_dropout, {.mask = xs[1]}, context);
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
                    PositionEmbedding{.count = positions,
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

std::vector<Tensor> EncoderBody::call(const std::vector<Tensor>& xs, CallContext& context) const {
  const int64_t tokens = xs.at(0).shape()[1];
  if (most_tokens > 0 && tokens > most_tokens && !context.infers_shapes()) {
    raise<Unimplemented>(
        {.what = str("block sparse attention, which begins above ", most_tokens,
                     " tokens; the sequences have ", tokens),
         .hint = "from_pretrained(folder, {.config = {{\"attention_type\", \"original_full\"}}})",
         .location = location});
  }
  Tensor x = embedded(xs, context);
  const Tensor mask = key_mask(xs.at(1));
  for (const std::string& layer : layers) {
    x = inner(context, EncoderLayer{.sizes = sizes, .names = names, .name = layer}, {x, mask});
  }
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
