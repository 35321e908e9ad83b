#include "systolic/transformers/t5/t5_stack.h"

#include <cmath>

#include "systolic/base/text.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/layers/asked_body.h"
#include "systolic/transformers/layers/decoder.h"
#include "systolic/transformers/layers/layers.h"
#include "systolic/transformers/layers/rms_norm.h"
#include "systolic/transformers/layers/source_attention.h"

namespace systolic::inline v0 {
namespace {

// factor / sqrt(size): what T5's weights start with, by what they are summed over.
double deviation(const T5Sizes& sizes, int64_t size) {
  return sizes.initializer_factor / std::sqrt(static_cast<double>(size));
}

Tensor t5_norm(const Tensor& x, const T5Sizes& sizes, const std::string& name,
               CallContext& context) {
  return inner(context, RMSNorm{.epsilon = sizes.epsilon, .name = name}, {x});
}

Tensor t5_linear(const Tensor& x, int64_t units, double range, const std::string& name,
                 CallContext& context) {
  Dense dense = linear(units, range, name);
  dense.use_bias = false;
  return inner(context, dense, {x});
}

// The projections of one attention, whose names begin with `part`.
class T5Attention {
 public:
  T5Attention(const T5Sizes& sizes, std::string part, CallContext& context)
      : sizes_(sizes), part_(std::move(part)), context_(context) {}

  Tensor query(const Tensor& x) const {
    return projected(x, "q", deviation(sizes_, sizes_.hidden_size * sizes_.head_size));
  }
  Tensor key(const Tensor& x) const {
    return projected(x, "k", deviation(sizes_, sizes_.hidden_size));
  }
  Tensor value(const Tensor& x) const {
    return projected(x, "v", deviation(sizes_, sizes_.hidden_size));
  }
  Tensor operator()(const Tensor& queries, const Tensor& keys, const Tensor& values,
                    AttentionOptions options) const {
    options.scale = 1;
    const Tensor mixed = attention(queries, keys, values, sizes_.heads, sizes_.dropout,
                                   std::move(options), context_);
    return t5_linear(mixed, sizes_.hidden_size, deviation(sizes_, sizes_.heads * sizes_.head_size),
                     part_ + ".o", context_);
  }

 private:
  Tensor projected(const Tensor& x, const char* which, double range) const {
    return t5_linear(x, sizes_.heads * sizes_.head_size, range, str(part_, ".", which), context_);
  }

  const T5Sizes& sizes_;
  std::string part_;
  CallContext& context_;
};

constexpr const char *own_attention = "layer.0.SelfAttention",
                     *source_attention = "layer.1.EncDecAttention";

}  // namespace

Tensor T5Block::fed_forward(const Tensor& x, const std::string& part, CallContext& context) const {
  const std::string dense = part + ".DenseReluDense";
  const Activation activation = hidden_activation(sizes.activation);
  const Tensor in = t5_norm(x, sizes, part + ".layer_norm", context);
  const auto wide = [&](const char* which) {
    return t5_linear(in, sizes.inner_size, deviation(sizes, sizes.hidden_size), dense + which,
                     context);
  };
  Tensor y = activation(wide(sizes.gated ? ".wi_0" : ".wi"));
  if (sizes.gated) y = y * wide(".wi_1");
  y = dropped(y, sizes.dropout, dense + ".dropout", context);
  y = t5_linear(y, sizes.hidden_size, deviation(sizes, sizes.inner_size), dense + ".wo", context);
  return x + dropped(y, sizes.dropout, part + ".dropout", context);
}

std::vector<Tensor> T5Block::decoded(const std::vector<Tensor>& xs, CallContext& context) const {
  const T5Attention source(sizes, source_attention, context), own(sizes, own_attention, context);
  if (xs.size() == 1) return {source.key(xs[0]), source.value(xs[0])};
  const SourceLayerInputs in(xs);
  Tensor y = t5_norm(in.x, sizes, "layer.0.layer_norm", context);
  Tensor key = own.key(y), value = own.value(y);
  in.add_tokens_before(key, value);
  y = own(own.query(y), key, value, {.mask = in.mask, .bias = in.bias});
  Tensor x = in.x + dropped(y, sizes.dropout, "layer.0.dropout", context);
  y = source.query(t5_norm(x, sizes, "layer.1.layer_norm", context));
  y = source(y, in.keys, in.values, {.mask = in.source_mask});
  x = x + dropped(y, sizes.dropout, "layer.1.dropout", context);
  std::vector<Tensor> results{fed_forward(x, "layer.2", context)};
  if (in.reads_on()) results.insert(results.end(), {key, value});
  return results;
}

std::vector<Tensor> T5Block::call(const std::vector<Tensor>& xs, CallContext& context) const {
  if (decodes) return decoded(xs, context);
  const T5Attention own(sizes, own_attention, context);
  Tensor y = t5_norm(xs[0], sizes, "layer.0.layer_norm", context);
  y = own(own.query(y), own.key(y), own.value(y), {.mask = xs[1], .bias = xs[2]});
  const Tensor x = xs[0] + dropped(y, sizes.dropout, "layer.0.dropout", context);
  return {fed_forward(x, "layer.1", context)};
}

std::vector<Layer> T5Stack::blocks() const {
  std::vector<Layer> result;
  for (int64_t i = 0; i < layers; ++i)
    result.push_back(T5Block{.sizes = sizes, .decodes = decodes, .name = str("block.", i)});
  return result;
}

Tensor T5Stack::bias(const Tensor& slots, int64_t keys, CallContext& context) const {
  const std::vector<int32_t> all_buckets = bucket_of_distances(buckets);
  const auto distances = static_cast<int64_t>(all_buckets.size());
  const Layer table =
      TiedEmbedding{.tokens = buckets.count,
                    .size = sizes.heads,
                    .initializer_range = deviation(sizes, sizes.hidden_size),
                    .name = str("block.0.", own_attention, ".relative_attention_bias")};
  const Tensor by_distance =
      inner(context, table, {Tensor(Literal::from(all_buckets, {distances}))});
  return bias_of_distances(by_distance, slots, keys);
}

Tensor T5Stack::finished(const Tensor& x, CallContext& context) const {
  const Tensor y = last_state(dropped(t5_norm(x, sizes, "final_layer_norm", context), sizes.dropout,
                                      "last_dropout", context));
  return output_scale == 1 ? y : y * output_scale;
}

std::vector<Tensor> T5Stack::call(const std::vector<Tensor>& xs, CallContext& context) const {
  const auto embedded = [&](const Tensor& x) {
    return dropped(x, sizes.dropout, "dropout", context);
  };
  if (decodes) {
    return decode(
        {.layers = blocks(),
         .embed = [&](const Tensor& x, const Tensor&) { return embedded(x); },
         .bias = [&](const Tensor& slots, int64_t keys) { return bias(slots, keys, context); },
         .finish = [&](const Tensor& x) { return finished(x, context); },
         .positions = limits::positions},
        xs, context);
  }
  const int64_t tokens = xs.at(0).shape()[1];
  const Tensor mask = key_mask(xs.at(1)), all_biases = bias(iota({tokens}, 0), tokens, context);
  Tensor x = embedded(xs[0]);
  for (const Layer& block : blocks()) x = through_layer(block, {x, mask, all_biases}, context);
  return {finished(x, context)};
}

}  // namespace systolic::inline v0
