#include "systolic/transformers/xlnet/xlnet_layer.h"

#include <cmath>

#include "systolic/base/text.h"
#include "systolic/nn/initializers/random_normal.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/layers/asked_body.h"
#include "systolic/transformers/layers/layers.h"
#include "systolic/transformers/layers/relative_shift.h"

namespace systolic::inline v0 {
namespace {

// What queries attend to; both streams to the same.
struct Keys {
  Tensor key, value;  // [batch, keys, heads, size]
  Tensor distances;   // [distances, heads, size]
  Tensor other;       // pred [batch, 1, tokens, keys]
};

// The attention of one layer; its weights are found again where the second stream asks.
class RelativeAttention {
 public:
  RelativeAttention(const XLNetConfig& config, CallContext& context)
      : config_(config), context_(context), size_(config.d_model / config.n_head) {}

  // [batch, steps, d_model] -> [batch, steps, heads, size]
  Tensor projected(const char* which, const Tensor& x) const {
    const int64_t width = config_.d_model;
    const Tensor kernel = weight(which, {width, config_.n_head, size_});
    return reshape(matmul(x, reshape(kernel, {width, width})),
                   {x.shape()[0], x.shape()[1], config_.n_head, size_});
  }

  // query [batch, tokens, heads, size], mask pred [batch, 1, tokens, keys] -> as query
  Tensor attended(const Tensor& query, const Tensor& mask, const Keys& keys) const {
    const double scale = 1 / std::sqrt(static_cast<double>(size_));
    AttentionOptions options{.mask = mask, .bias = position_scores(query, keys) * scale};
    if (context_.training() && config_.dropout > 0) {
      options.dropout_rate = config_.dropout;
      options.dropout_key = context_.random_key();
    }
    options.weights = next_attention();
    return scaled_dot_product_attention(query + bias("r_w_bias"), keys.key, keys.value, options);
  }

  // x with what it attended to, mixed [batch, steps, heads, size], around it.
  Tensor added(const Tensor& x, const Tensor& mixed) const {
    const int64_t width = config_.d_model;
    const Tensor back = reshape(weight("o", {width, config_.n_head, size_}), {width, width});
    const Tensor y = matmul(reshape(mixed, x.shape()), back, {.transpose_b = true});
    return layer_norm(x + dropped(y, config_.dropout, "rel_attn.dropout", context_),
                      config_.layer_norm_eps, "rel_attn.layer_norm", context_);
  }

 private:
  Tensor weight(const char* which, const Shape& shape) const {
    return context_.weight(str("rel_attn.", which), shape,
                           {.initializer = RandomNormal{.stddev = config_.initializer_range}});
  }
  Tensor bias(const char* which) const { return weight(which, {config_.n_head, size_}); }

  // What distance and segments add to the scores.
  Tensor position_scores(const Tensor& query, const Keys& keys) const {
    const Tensor by_distance = einsum("bind,jnd->bnij", query + bias("r_r_bias"), keys.distances);
    const Tensor segments = weight("seg_embed", {2, config_.n_head, size_});
    const Tensor by_segment = einsum("bind,snd->bnis", query + bias("r_s_bias"), segments);
    const Tensor same = by_segment[{ellipsis, Slice{.begin = 0, .end = 1}}];
    const Tensor other = by_segment[{ellipsis, Slice{.begin = 1, .end = 2}}];
    return scores_by_key(by_distance, keys.key.shape()[1]) + where(keys.other, other, same);
  }

  const XLNetConfig& config_;
  CallContext& context_;
  int64_t size_;  // of a head
};

// The dense network, with a way around it.
Tensor fed_forward(const Tensor& x, const XLNetConfig& config, CallContext& context) {
  const double range = config.initializer_range;
  const Tensor wide = inner(
      context, linear(config.d_inner, range, "ff.layer_1", hidden_activation(config.ff_activation)),
      {x});
  const Tensor kept = dropped(wide, config.dropout, "ff.inner_dropout", context);
  const Tensor narrow = inner(context, linear(config.d_model, range, "ff.layer_2"), {kept});
  return layer_norm(x + dropped(narrow, config.dropout, "ff.dropout", context),
                    config.layer_norm_eps, "ff.layer_norm", context);
}

}  // namespace

std::vector<Tensor> XLNetLayer::call(const std::vector<Tensor>& xs, CallContext& context) const {
  constexpr size_t without_streams = 4, of_a_stream = 3;
  const bool two_streams = xs.size() >= without_streams + of_a_stream;
  const bool remembers = xs.size() == without_streams + 1 + (two_streams ? of_a_stream : 0);
  const Tensor& x = xs[0];
  const bool has_memory = remembers && xs[4].shape()[1] > 0;
  const Tensor seen = has_memory ? concat({xs[4], x}, 1) : x;
  const RelativeAttention attention(config, context);
  const Keys keys{.key = attention.projected("k", seen),
                  .value = attention.projected("v", seen),
                  .distances = attention.projected("r", xs[3])[0],
                  .other = xs[2]};
  const Tensor mixed = attention.attended(attention.projected("q", x), xs[1], keys);
  std::vector<Tensor> result{fed_forward(attention.added(x, mixed), config, context)};
  if (!two_streams) return result;
  // Each prediction asks from the place that it is mapped to.
  const size_t next = remembers ? 5 : 4;
  const Tensor &g = xs[next], &mapping = xs[next + 2];
  const Tensor query = einsum("bmnd,bml->blnd", attention.projected("q", g), mapping);
  const Tensor there = attention.attended(query, xs[next + 1], keys);
  const Tensor back = einsum("blnd,bml->bmnd", there, mapping);
  result.push_back(fed_forward(attention.added(g, back), config, context));
  return result;
}

}  // namespace systolic::inline v0
