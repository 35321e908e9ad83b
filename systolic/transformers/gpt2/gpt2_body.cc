#include "systolic/transformers/gpt2/gpt2_body.h"

#include <cmath>

#include "systolic/base/text.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/layers/asked_body.h"
#include "systolic/transformers/layers/decoder.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {

// xs as call() takes them, but x normalized.
std::vector<Tensor> GPT2Layer::attended(const std::vector<Tensor>& xs, CallContext& context) const {
  const int64_t size = sizes.hidden_size;
  // Query, key and value by one kernel.
  std::vector<Tensor> projected = split(
      inner(context, linear(3 * size, sizes.initializer_range, "attn.c_attn"), {xs[0]}), 3, -1);
  const bool reads_on = xs.size() > 2;
  for (size_t i = 1; reads_on && i < 3; ++i) {
    projected[i] = with_tokens(xs[i + 2], xs[2], projected[i]);
  }
  double scale = 1;
  if (sizes.scale_attention) scale /= std::sqrt(static_cast<double>(size / sizes.heads));
  if (sizes.scale_by_inverse_of_layer) scale /= static_cast<double>(index + 1);
  const Tensor mixed =
      attention(projected[0], projected[1], projected[2], sizes.heads, sizes.attention_dropout,
                {.mask = xs[1], .causal = !reads_on, .scale = scale}, context);
  const Layer narrow = linear(size, sizes.output_initializer_range, "attn.c_proj");
  std::vector<Tensor> results{inner(context, narrow, {mixed})};
  if (reads_on) results.insert(results.end(), projected.begin() + 1, projected.end());
  return results;
}

std::vector<Tensor> GPT2Layer::call(const std::vector<Tensor>& xs, CallContext& context) const {
  const double epsilon = sizes.layer_norm_epsilon, range = sizes.initializer_range;
  std::vector<Tensor> normalized = xs;
  normalized[0] = layer_norm(xs[0], epsilon, "ln_1", context);
  std::vector<Tensor> results = attended(normalized, context);
  const Tensor middle =
      xs[0] + dropped(results[0], sizes.output_dropout, "attn.resid_dropout", context);
  const Tensor wide = inner(
      context, linear(sizes.inner_size, range, "mlp.c_fc", hidden_activation(sizes.activation)),
      {layer_norm(middle, epsilon, "ln_2", context)});
  const Layer projection = linear(sizes.hidden_size, sizes.output_initializer_range, "mlp.c_proj");
  const Tensor narrow = inner(context, projection, {wide});
  results[0] = middle + dropped(narrow, sizes.output_dropout, "mlp.dropout", context);
  return results;
}

Tensor GPT2Body::embedded(const std::vector<Tensor>& positioned, CallContext& context) const {
  const LearnedPositions positions{.count = sizes.positions,
                                   .size = sizes.hidden_size,
                                   .initializer_range = sizes.initializer_range,
                                   .name = "wpe"};
  const Tensor x =
      token_vectors(words, positioned[0], context) + inner(context, positions, positioned);
  return dropped(x, sizes.embedding_dropout, "drop", context);
}

std::vector<Layer> GPT2Body::all_layers() const {
  std::vector<Layer> result;
  for (int64_t i = 0; i < layers; ++i)
    result.push_back(GPT2Layer{.sizes = sizes, .index = i, .name = str("h.", i)});
  return result;
}

std::vector<LookupLimit> GPT2Body::lookups() const { return lookups_of(words); }

std::vector<Tensor> GPT2Body::call(const std::vector<Tensor>& xs, CallContext& context) const {
  if (has_caches(xs)) return call_with_caches(xs, context);
  Tensor x = embedded({xs.at(0)}, context);
  const Tensor mask = key_mask(xs.at(1));
  for (const Layer& layer : all_layers()) x = through_layer(layer, {x, mask}, context);
  return {last_state(layer_norm(x, sizes.layer_norm_epsilon, "ln_f", context))};
}

std::vector<Tensor> GPT2Body::call_with_caches(const std::vector<Tensor>& xs,
                                               CallContext& context) const {
  const DecoderInputs in(xs);
  const Tensor x = embedded({in.ids, in.positions(sizes.positions)}, context);
  std::vector<Tensor> results = read_through(all_layers(), x, in, context);
  results[0] = layer_norm(results[0], sizes.layer_norm_epsilon, "ln_f", context);
  return results;
}

}  // namespace systolic::inline v0
