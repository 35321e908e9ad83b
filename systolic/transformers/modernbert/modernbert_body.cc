#include "systolic/transformers/modernbert/modernbert_body.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "systolic/base/text.h"
#include "systolic/nn/initializers/truncated_normal.h"
#include "systolic/nn/layers/normalization/layer_normalization.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/config/layer_types.h"
#include "systolic/transformers/layers/asked_body.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {
namespace {

Tensor normalized(const Tensor& x, const ModernBertConfig& config, const char* name,
                  CallContext& context) {
  return LayerNormalization{.epsilon = config.norm_eps, .center = config.norm_bias, .name = name}(
      x, context);
}

Tensor projected(const Tensor& x, int64_t units, const Initializer& start, bool use_bias,
                 const char* name, CallContext& context) {
  return inner(
      context,
      Dense{.units = units, .use_bias = use_bias, .kernel_initializer = start, .name = name}, {x});
}

Initializer input_start(const ModernBertConfig& config) {
  return TruncatedNormal{.stddev = config.initializer_range};
}

// Which tokens are no further from each other than `reach`: pred [1, 1, tokens, tokens].
Tensor nearby(int64_t tokens, int64_t reach) {
  const Shape shape{1, 1, tokens, tokens};
  return abs(iota(shape, 2) - iota(shape, 3)) <= reach;
}

}  // namespace

Initializer modernbert_output_start(const ModernBertConfig& config) {
  const double depth = std::sqrt(2 * std::max(1.0, static_cast<double>(config.num_hidden_layers)));
  return TruncatedNormal{.stddev = config.initializer_range / depth};
}

Tensor ModernBertLayer::attended(const Tensor& x, const std::vector<Tensor>& xs,
                                 CallContext& context) const {
  const int64_t size = config.hidden_size, heads = config.num_attention_heads;
  const int64_t batch = x.shape()[0], tokens = x.shape()[1];
  const Tensor all_three =
      projected(x, 3 * size, input_start(config), config.attention_bias, "attn.Wqkv", context);
  const std::vector<Tensor> parts = split(all_three, 3, 2);
  const Rotation rotation{xs.at(2), xs.at(3)};
  const auto turned = [&](const Tensor& part) {
    const Tensor in_heads = reshape(part, {batch, tokens, heads, size / heads});
    return reshape(rotated(in_heads, rotation), part.shape());
  };
  const Tensor mixed = attention(turned(parts[0]), turned(parts[1]), parts[2], heads,
                                 config.attention_dropout, {.mask = xs.at(1)}, context);
  const Tensor added = projected(mixed, size, modernbert_output_start(config),
                                 config.attention_bias, "attn.Wo", context);
  return dropped(added, config.attention_dropout, "attn.out_drop", context);
}

Tensor ModernBertLayer::gated(const Tensor& x, CallContext& context) const {
  const std::vector<Tensor> halves =
      split(projected(x, 2 * config.intermediate_size, input_start(config), config.mlp_bias,
                      "mlp.Wi", context),
            2, 2);
  const Tensor wide = hidden_activation(config.hidden_activation)(halves[0]) * halves[1];
  return projected(dropped(wide, config.mlp_dropout, "mlp.drop", context), config.hidden_size,
                   modernbert_output_start(config), config.mlp_bias, "mlp.Wo", context);
}

Tensor ModernBertLayer::call(const std::vector<Tensor>& xs, CallContext& context) const {
  const Tensor& x = xs.at(0);
  const Tensor read = normalizes_first ? normalized(x, config, "attn_norm", context) : x;
  const Tensor middle = x + attended(read, xs, context);
  return middle + gated(normalized(middle, config, "mlp_norm", context), context);
}

std::vector<LookupLimit> ModernBertBody::lookups() const { return lookups_of(words); }

Tensor ModernBertBody::call(const std::vector<Tensor>& xs, CallContext& context) const {
  const int64_t tokens = xs.at(0).shape()[1], reach = config.local_attention / 2;
  const int64_t head = config.hidden_size / config.num_attention_heads;
  Tensor x = normalized(token_vectors(words, xs[0], context), config, "embeddings.norm", context);
  x = dropped(x, config.embedding_dropout, "embeddings.drop", context);
  const auto turns = [&](const RopeParameters& parameters) {
    return rotation_of(token_positions(tokens),
                       rope_frequencies(parameters, head, config.max_position_embeddings));
  };
  const Rotation far = turns(config.rope_parameters), near = turns(config.local_rope_parameters);
  const Tensor mask = key_mask(xs.at(1));
  const bool is_cut = reach < tokens && !masks_pairs();
  const Tensor near_mask = is_cut ? logical_and(mask, nearby(tokens, reach)) : mask;
  for (int64_t i = 0; i < config.num_hidden_layers; ++i) {
    const bool slides =
        config.layer_types[static_cast<size_t>(i)] == layer_types::sliding_attention;
    const Rotation& turn = slides ? near : far;
    x = through_layer(
        ModernBertLayer{.config = config, .normalizes_first = i > 0, .name = str("layers.", i)},
        {x, slides ? near_mask : mask, turn.cosine, turn.sine}, context);
  }
  return last_state(normalized(x, config, "final_norm", context));
}

}  // namespace systolic::inline v0
