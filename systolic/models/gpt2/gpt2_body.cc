#include "systolic/models/gpt2/gpt2_body.h"

#include <cmath>

#include "systolic/base/text.h"
#include "systolic/models/layers.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Tensor GPT2Layer::attended(const Tensor& x, const Tensor& mask, CallContext& context) const {
  const int64_t size = sizes.hidden_size;
  // Query, key and value by one kernel.
  const std::vector<Tensor> projected =
      split(inner(context, linear(3 * size, sizes.initializer_range, "attn.c_attn"), {x}), 3, -1);
  double scale = 1;
  if (sizes.scale_attention) scale /= std::sqrt(static_cast<double>(size / sizes.heads));
  if (sizes.scale_by_inverse_of_layer) scale /= static_cast<double>(index + 1);
  const Tensor mixed =
      attention(projected[0], projected[1], projected[2], sizes.heads, sizes.attention_dropout,
                {.mask = mask, .causal = true, .scale = scale}, context);
  return inner(context, linear(size, sizes.initializer_range, "attn.c_proj"), {mixed});
}

Tensor GPT2Layer::call(const std::vector<Tensor>& xs, CallContext& context) const {
  const double epsilon = sizes.layer_norm_epsilon, range = sizes.initializer_range;
  const Tensor mixed = attended(layer_norm(xs[0], epsilon, "ln_1", context), xs[1], context);
  const Tensor middle = xs[0] + dropped(mixed, sizes.output_dropout, "attn.resid_dropout", context);
  const Tensor wide = inner(
      context, linear(sizes.inner_size, range, "mlp.c_fc", hidden_activation(sizes.activation)),
      {layer_norm(middle, epsilon, "ln_2", context)});
  const Tensor narrow = inner(context, linear(sizes.hidden_size, range, "mlp.c_proj"), {wide});
  return middle + dropped(narrow, sizes.output_dropout, "mlp.dropout", context);
}

Tensor GPT2Body::call(const std::vector<Tensor>& xs, CallContext& context) const {
  const LearnedPositions positions{.count = sizes.positions,
                                   .size = sizes.hidden_size,
                                   .initializer_range = sizes.initializer_range,
                                   .name = "wpe"};
  Tensor x = words(xs.at(0), context) + inner(context, positions, {xs.at(0)});
  x = dropped(x, sizes.embedding_dropout, "drop", context);
  const Tensor mask = key_mask(xs.at(1));
  for (int64_t i = 0; i < layers; ++i) {
    x = inner(context, GPT2Layer{.sizes = sizes, .index = i, .name = str("h.", i)}, {x, mask});
  }
  return layer_norm(x, sizes.layer_norm_epsilon, "ln_f", context);
}

}  // namespace systolic::inline v0
