#include "systolic/transformers/bart/bart_stack.h"

#include <cmath>

#include "systolic/base/error.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/layers/asked_body.h"
#include "systolic/transformers/layers/decoder.h"
#include "systolic/transformers/layers/layers.h"
#include "systolic/transformers/layers/source_attention.h"

namespace systolic::inline v0 {
namespace {

constexpr double norm_epsilon = 1e-5;

// The projections of one attention, whose names begin with `part`.
class BartAttention {
 public:
  BartAttention(const BartSizes& sizes, std::string part, CallContext& context)
      : sizes_(sizes), part_(std::move(part)), context_(context) {}

  Tensor query(const Tensor& x) const { return projected(x, ".q_proj"); }
  Tensor key(const Tensor& x) const { return projected(x, ".k_proj", sizes_.key_bias); }
  Tensor value(const Tensor& x) const { return projected(x, ".v_proj"); }
  Tensor operator()(const Tensor& queries, const Tensor& keys, const Tensor& values,
                    const Tensor& mask) const {
    const Tensor mixed = attention(queries, keys, values, sizes_.heads, sizes_.attention_dropout,
                                   {.mask = mask}, context_);
    return projected(mixed, ".out_proj");
  }

 private:
  Tensor projected(const Tensor& x, const char* which, bool use_bias = true) const {
    Dense dense = linear(sizes_.hidden_size, sizes_.initializer_range, part_ + which);
    dense.use_bias = use_bias;
    return inner(context_, std::move(dense), {x});
  }

  const BartSizes& sizes_;
  std::string part_;
  CallContext& context_;
};

// Row p: the sines of p / 10000^(2i / size) for each i below size / 2, then their cosines.
Tensor sine_table(int64_t positions, int64_t size) {
  Literal table(DType::f32, {positions, size});
  const auto to = table.mutable_data<float>();
  const int64_t half = size / 2;
  for (int64_t p = 0; p < positions; ++p) {
    for (int64_t i = 0; i < half; ++i) {
      const double exponent = 2 * static_cast<double>(i) / static_cast<double>(size);
      const double angle = static_cast<double>(p) / std::pow(10000.0, exponent);
      to[static_cast<size_t>(p * size + i)] = static_cast<float>(std::sin(angle));
      to[static_cast<size_t>(p * size + half + i)] = static_cast<float>(std::cos(angle));
    }
  }
  return Tensor(std::move(table));
}

}  // namespace

Tensor BartLayer::read(const Tensor& x, const std::string& part, CallContext& context) const {
  if (!sizes.normalizes_first) return x;
  return layer_norm(x, norm_epsilon, part + "_layer_norm", context);
}

Tensor BartLayer::added(const Tensor& x, const Tensor& y, const std::string& part,
                        CallContext& context) const {
  const Tensor sum = x + dropped(y, sizes.dropout, part + "_dropout", context);
  if (sizes.normalizes_first) return sum;
  return layer_norm(sum, norm_epsilon, part + "_layer_norm", context);
}

Tensor BartLayer::fed_forward(const Tensor& x, CallContext& context) const {
  Tensor y = inner(
      context,
      linear(sizes.inner_size, sizes.initializer_range, "fc1", hidden_activation(sizes.activation)),
      {read(x, "final", context)});
  y = dropped(y, sizes.activation_dropout, "activation_dropout", context);
  y = inner(context, linear(sizes.hidden_size, sizes.initializer_range, "fc2"), {y});
  return added(x, y, "final", context);
}

std::vector<Tensor> BartLayer::decoded(const std::vector<Tensor>& xs, CallContext& context) const {
  const BartAttention source(sizes, "encoder_attn", context), own(sizes, "self_attn", context);
  if (xs.size() == 1) return {source.key(xs[0]), source.value(xs[0])};
  const SourceLayerInputs in(xs);
  const Tensor seen = read(in.x, "self_attn", context);
  Tensor key = own.key(seen), value = own.value(seen);
  in.add_tokens_before(key, value);
  Tensor x = added(in.x, own(own.query(seen), key, value, in.mask), "self_attn", context);
  const Tensor asking = source.query(read(x, "encoder_attn", context));
  x = added(x, source(asking, in.keys, in.values, in.source_mask), "encoder_attn", context);
  std::vector<Tensor> results{fed_forward(x, context)};
  if (in.reads_on()) results.insert(results.end(), {key, value});
  return results;
}

std::vector<Tensor> BartLayer::call(const std::vector<Tensor>& xs, CallContext& context) const {
  if (decodes) return decoded(xs, context);
  const BartAttention own(sizes, "self_attn", context);
  const Tensor seen = read(xs[0], "self_attn", context);
  const Tensor y = own(own.query(seen), own.key(seen), own.value(seen), xs[1]);
  return {fed_forward(added(xs[0], y, "self_attn", context), context)};
}

std::vector<Layer> BartStack::all_layers() const {
  std::vector<Layer> result;
  for (int64_t i = 0; i < layers; ++i)
    result.push_back(BartLayer{.sizes = sizes, .decodes = decodes, .name = str("layers.", i)});
  return result;
}

Tensor BartStack::embedded(const Tensor& x, const Tensor& positions, CallContext& context) const {
  const Tensor scaled = sizes.word_scale == 1 ? x : x * sizes.word_scale;
  if (sizes.sinusoidal) {
    const Tensor sines = gather(sine_table(sizes.positions, sizes.hidden_size), positions);
    return dropped(scaled + cast(sines, x.dtype()), sizes.dropout, "dropout", context);
  }
  const LearnedPositions table{.count = sizes.positions + sizes.first_position,
                               .size = sizes.hidden_size,
                               .initializer_range = sizes.initializer_range,
                               .name = "embed_positions"};
  const Tensor sum = scaled + inner(context, table, {x, positions + sizes.first_position});
  const Tensor embeddings =
      sizes.normalizes_first ? sum : layer_norm(sum, norm_epsilon, "layernorm_embedding", context);
  return dropped(embeddings, sizes.dropout, "dropout", context);
}

Tensor BartStack::finished(const Tensor& x, CallContext& context) const {
  if (!sizes.normalizes_first) return x;
  return last_state(layer_norm(x, norm_epsilon, "layer_norm", context));
}

void BartStack::check_length(const Tensor& x, CallContext& context) const {
  const int64_t tokens = x.shape()[1], most = sizes.positions;
  if (tokens <= most || context.infers_shapes()) return;
  raise<InvalidArgument>(
      {.what = str("texts of ", tokens, " tokens for the ", decodes ? "decoder" : "encoder"),
       .wanted = str("at most ", most, ": the model knows no more positions"),
       .hint = str("tokenizer(texts, {.truncation = true, .max_length = ", most, "})"),
       .location = location});
}

std::vector<Tensor> BartStack::call(const std::vector<Tensor>& xs, CallContext& context) const {
  if (decodes) {
    const bool is_whole = xs.size() > 1 && !has_caches(xs);
    if (is_whole) check_length(xs[0], context);
    return decode(
        {.layers = all_layers(),
         .embed = [&](const Tensor& x,
                      const Tensor& positions) { return embedded(x, positions, context); },
         .finish = [&](const Tensor& x) { return finished(x, context); },
         .positions = sizes.positions},
        xs, context);
  }
  check_length(xs.at(0), context);
  const Tensor mask = key_mask(xs.at(1));
  Tensor x = embedded(xs[0], iota({1, xs[0].shape()[1]}, 1), context);
  for (const Layer& layer : all_layers()) x = through_layer(layer, {x, mask}, context);
  return {finished(x, context)};
}

}  // namespace systolic::inline v0
