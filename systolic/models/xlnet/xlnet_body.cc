#include "systolic/models/xlnet/xlnet_body.h"

#include <algorithm>
#include <cmath>

#include "systolic/base/text.h"
#include "systolic/models/layers.h"
#include "systolic/nn/initializers/random_normal.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// The distances that `tokens` tokens can have, from the largest down: waves of d_model lengths,
// [distances, d_model], sines first (section 2.2 and Dai et al. 2019, section 3.3).
Literal distance_waves(int64_t tokens, const XLNetConfig& config) {
  const int64_t behind = config.attn_type == "bi" ? tokens : 1;
  const int64_t half = config.d_model / 2;
  Literal result(DType::f32, {tokens + behind, config.d_model});
  const auto values = result.mutable_data<float>();
  for (int64_t i = 0; i < tokens + behind; ++i) {
    auto distance = static_cast<double>(tokens - i);
    const auto most = static_cast<double>(config.clamp_len);
    if (config.clamp_len > 0) distance = std::clamp(distance, -most, most);
    for (int64_t k = 0; k < half; ++k) {
      const double share = 2 * static_cast<double>(k) / static_cast<double>(config.d_model);
      const double angle = distance / std::pow(10000.0, share);
      const auto at = static_cast<size_t>(i * config.d_model + k);
      values[at] = static_cast<float>(std::sin(angle));
      values[at + static_cast<size_t>(half)] = static_cast<float>(std::cos(angle));
    }
  }
  return result;
}

// Scores by distance, [batch, heads, tokens, distances], to scores by key, [..., tokens]: query i
// and key j are i - j apart, which is column tokens - i + j.
Tensor by_key(const Tensor& scores) {
  const Shape& shape = scores.shape();
  const int64_t batch = shape[0], heads = shape[1], tokens = shape[2], distances = shape[3];
  const Tensor flat = reshape(scores, {batch, heads, distances, tokens});
  const Tensor later = slice(flat, {0, 0, 1, 0}, {batch, heads, distances - 1, tokens});
  const Tensor shifted = reshape(later, {batch, heads, tokens, distances - 1});
  return slice(shifted, {0, 0, 0, 0}, {batch, heads, tokens, tokens});
}

// {x [batch, tokens, d_model], mask pred [batch, 1, tokens, tokens], other pred [batch, 1, tokens,
// tokens] where two tokens are of different segments, waves} -> [batch, tokens, d_model].
struct XLNetLayer {
  static constexpr const char* kind = "XLNetLayer";
  static constexpr bool casts_inputs = false;
  XLNetConfig config;
  std::string name;

  int64_t head_size() const { return config.d_model / config.n_head; }

  Tensor weight(const char* which, const Shape& shape, CallContext& context) const {
    return context.weight(str("rel_attn.", which), shape,
                          {.initializer = RandomNormal{.stddev = config.initializer_range}});
  }
  // [..., d_model] -> [..., heads, size]
  Tensor projected(const char* which, const Tensor& x, CallContext& context) const {
    const Tensor kernel = weight(which, {config.d_model, config.n_head, head_size()}, context);
    const Tensor y = matmul(x, reshape(kernel, {config.d_model, config.d_model}));
    return reshape(y, {x.shape()[0], x.shape()[1], config.n_head, head_size()});
  }
  Tensor bias(const char* which, CallContext& context) const {
    return weight(which, {config.n_head, head_size()}, context);
  }

  // What distance and segments add to the scores.
  Tensor position_scores(const Tensor& query, const std::vector<Tensor>& xs,
                         CallContext& context) const {
    const Tensor distances = projected("r", xs[3], context)[0];
    const Tensor by_distance =
        einsum("bind,jnd->bnij", query + bias("r_r_bias", context), distances);
    const Tensor segments = weight("seg_embed", {2, config.n_head, head_size()}, context);
    const Tensor by_segment = einsum("bind,snd->bnis", query + bias("r_s_bias", context), segments);
    const Tensor same = by_segment[{ellipsis, Slice{.begin = 0, .end = 1}}];
    const Tensor other = by_segment[{ellipsis, Slice{.begin = 1, .end = 2}}];
    return by_key(by_distance) + where(xs[2], other, same);
  }

  Tensor attended(const std::vector<Tensor>& xs, CallContext& context) const {
    const Tensor& x = xs[0];
    const Tensor query = projected("q", x, context);
    const double scale = 1 / std::sqrt(static_cast<double>(head_size()));
    AttentionOptions options{.mask = xs[1], .bias = position_scores(query, xs, context) * scale};
    if (context.training() && config.dropout > 0) {
      options.dropout_rate = config.dropout;
      options.dropout_key = context.random_key();
    }
    const Tensor mixed =
        scaled_dot_product_attention(query + bias("r_w_bias", context), projected("k", x, context),
                                     projected("v", x, context), options);
    const Tensor back = weight("o", {config.d_model, config.n_head, head_size()}, context);
    const Tensor y = matmul(reshape(mixed, x.shape()),
                            reshape(back, {config.d_model, config.d_model}), {.transpose_b = true});
    return layer_norm(x + dropped(y, config.dropout, "rel_attn.dropout", context),
                      config.layer_norm_eps, "rel_attn.layer_norm", context);
  }

  Tensor call(const std::vector<Tensor>& xs, CallContext& context) const {
    const double range = config.initializer_range;
    const Tensor x = attended(xs, context);
    const Tensor wide = inner(
        context,
        linear(config.d_inner, range, "ff.layer_1", hidden_activation(config.ff_activation)), {x});
    const Tensor kept = dropped(wide, config.dropout, "ff.inner_dropout", context);
    const Tensor narrow = inner(context, linear(config.d_model, range, "ff.layer_2"), {kept});
    return layer_norm(x + dropped(narrow, config.dropout, "ff.dropout", context),
                      config.layer_norm_eps, "ff.layer_norm", context);
  }
};

// Which keys each query sees: those that do not pad, and itself.
Tensor visible(const Tensor& attention_mask, bool forward_only) {
  const int64_t tokens = attention_mask.shape()[1];
  const Tensor row = iota({tokens, tokens}, 0), column = iota({tokens, tokens}, 1);
  Tensor keys = key_mask(attention_mask);
  if (forward_only) keys = logical_and(keys, column <= row);
  return logical_or(keys, row == column);
}

}  // namespace

Tensor XLNetBody::call(const std::vector<Tensor>& xs, CallContext& context) const {
  // Stands for tokens that are to be predicted, while pretraining; kept for the checkpoint.
  context.add_weight("mask_emb", {1, 1, config.d_model},
                     {.initializer = "zeros", .trainable = false});
  const int64_t tokens = xs.at(0).shape()[1];
  const Tensor types = cast(xs.at(2), DType::i32);
  const Tensor mask = visible(xs.at(1), config.attn_type == "uni");
  const Tensor other = expand_dims(expand_dims(types, 2) != expand_dims(types, 1), 1);
  const Tensor waves = cast(context.infers_shapes() ? zeros({2 * tokens, config.d_model})
                                                    : Tensor(distance_waves(tokens, config)),
                            context.compute_dtype());
  const Tensor kept_waves =
      dropped(expand_dims(waves, 0), config.dropout, "waves_dropout", context);
  Tensor x = dropped(words(xs.at(0), context), config.dropout, "dropout", context);
  for (int64_t i = 0; i < config.n_layer; ++i) {
    x = inner(context, XLNetLayer{.config = config, .name = str("layer.", i)},
              {x, mask, other, kept_waves});
  }
  return dropped(x, config.dropout, "output_dropout", context);
}

}  // namespace systolic::inline v0
