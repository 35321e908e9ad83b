#include "systolic/transformers/deberta/deberta_body.h"

#include <algorithm>

#include "systolic/base/text.h"
#include "systolic/nn/initializers/random_normal.h"
#include "systolic/nn/layers/convolutional/convolution.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/architecture/encoder_fields.h"
#include "systolic/transformers/layers/asked_body.h"

namespace systolic::inline v0 {
namespace {

constexpr const char* types_table = "embeddings.token_type_embeddings";

EncoderLayer layer_of(const DebertaV2Config& config, int64_t i) {
  const auto knows = [&](const char* kind) {
    const std::vector<std::string>& kinds = config.pos_att_type;
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  };
  return {.sizes = encoder_sizes(config),
          .names = {.query = "attention.self.query_proj",
                    .key = "attention.self.key_proj",
                    .value = "attention.self.value_proj"},
          .disentangled = DisentangledAttention{.content_to_position = knows("c2p"),
                                                .position_to_content = knows("p2c"),
                                                .shares_projections = config.share_att_key},
          .name = str("encoder.layer.", i)};
}

// Pairs of tokens that do not pad: pred [batch, 1, tokens, tokens].
Tensor pairs(const Tensor& attention_mask) {
  const Tensor keys = key_mask(attention_mask);
  return logical_and(keys, transpose(keys, {0, 1, 3, 2}));
}

}  // namespace

DistanceTable distance_table(const DebertaV2Config& config) {
  const int64_t most = config.max_relative_positions < 1 ? config.max_position_embeddings
                                                         : config.max_relative_positions;
  if (config.position_buckets < 1) return {.count = most};
  return {.count = config.position_buckets, .max_distance = most};
}

Tensor DebertaV2Body::embedded(const std::vector<Tensor>& xs, const Tensor& shown,
                               CallContext& context) const {
  const double range = config.initializer_range;
  const int64_t size = config.words_size();
  Tensor sum = token_vectors(words, xs[0], context);
  if (config.position_biased_input) {
    sum = sum + inner(context,
                      LearnedPositions{.count = config.max_position_embeddings,
                                       .size = size,
                                       .initializer_range = range,
                                       .name = "embeddings.position_embeddings"},
                      {xs[0]});
  }
  if (config.type_vocab_size > 0) {
    const TiedEmbedding types{.tokens = config.type_vocab_size,
                              .size = size,
                              .initializer_range = range,
                              .name = types_table};
    sum = sum + inner(context, types, {xs[2]});
  }
  if (size != config.hidden_size) {
    Dense wide = linear(config.hidden_size, range, "embeddings.embed_proj");
    wide.use_bias = false;
    sum = inner(context, std::move(wide), {sum});
  }
  const Tensor x = layer_norm(sum, config.layer_norm_eps, "embeddings.LayerNorm", context) * shown;
  return dropped(x, config.hidden_dropout_prob, "embeddings.dropout", context);
}

std::vector<Tensor> DebertaV2Body::distances(int64_t tokens, CallContext& context) const {
  if (!config.relative_attention) return {};
  const DistanceTable table = distance_table(config);
  Tensor vectors =
      context.weight("encoder.rel_embeddings.weight", {2 * table.count, config.hidden_size},
                     {.initializer = RandomNormal{.stddev = config.initializer_range}});
  if (config.norm_rel_ebd == "layer_norm")
    vectors = layer_norm(vectors, config.layer_norm_eps, "encoder.LayerNorm", context);
  std::vector<Tensor> result;
  for (const bool from_keys : {false, true}) {
    // Where only shapes are wanted, sizes are large stand-ins.
    const Tensor rows =
        context.infers_shapes()
            ? zeros({2 * tokens}, DType::i32)
            : Tensor(Literal::from(distance_rows(table, tokens, from_keys), {2 * tokens}));
    result.push_back(expand_dims(gather(vectors, rows), 0));
  }
  return result;
}

Tensor DebertaV2Body::convolved(const Tensor& embeddings, const Tensor& first, const Tensor& shown,
                                CallContext& context) const {
  const Conv1D convolution{.filters = config.hidden_size,
                           .kernel_size = config.conv_kernel_size,
                           .padding = "same",
                           .groups = config.conv_groups,
                           .kernel_initializer = RandomNormal{.stddev = config.initializer_range},
                           .name = "encoder.conv.conv"};
  const Tensor around = where(shown == 0, 0.0, inner(context, convolution, {embeddings}));
  const Tensor added = hidden_activation(config.conv_act)(
      dropped(around, config.hidden_dropout_prob, "encoder.conv.dropout", context));
  return layer_norm(first + added, config.layer_norm_eps, "encoder.conv.LayerNorm", context) *
         shown;
}

std::vector<LookupLimit> DebertaV2Body::lookups() const {
  std::vector<LookupLimit> result = lookups_of(words);
  if (config.type_vocab_size > 0)
    result.push_back({.input = 2, .limit = config.type_vocab_size, .layer = types_table});
  return result;
}

Tensor DebertaV2Body::call(const std::vector<Tensor>& xs, CallContext& context) const {
  const Tensor shown = expand_dims(cast(xs.at(1), context.compute_dtype()), 2);
  const Tensor embeddings = embedded(xs, shown, context);
  std::vector<Tensor> inputs{embeddings, pairs(xs[1])};
  const std::vector<Tensor> apart = distances(xs[0].shape()[1], context);
  if (!config.pos_att_type.empty()) inputs.insert(inputs.end(), apart.begin(), apart.end());
  for (int64_t i = 0; i < config.num_hidden_layers; ++i) {
    inputs[0] = through_layer(layer_of(config, i), inputs, context);
    if (i == 0 && config.conv_kernel_size > 0)
      inputs[0] = last_state(convolved(embeddings, inputs[0], shown, context));
  }
  return inputs[0];
}

}  // namespace systolic::inline v0
