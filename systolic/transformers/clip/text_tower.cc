#include "systolic/transformers/clip/text_tower.h"

#include "systolic/base/error.h"
#include "systolic/nn/layers/core/embedding.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/layers/asked_body.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {
namespace {

constexpr const char* words_table = "embeddings.token_embedding";

}  // namespace

std::vector<LookupLimit> TextTower::lookups() const {
  return {{.limit = vocabulary, .layer = words_table}};
}

Tensor TextTower::embedded(const Tensor& ids, CallContext& context) const {
  const int64_t tokens = ids.shape()[1];
  if (tokens > positions && !context.infers_shapes()) {
    raise<InvalidArgument>(
        {.what = str("token ids of shape ", ids.shape(), ", sequences of ", tokens, " tokens"),
         .wanted = str("at most ", positions, ": the model knows no more positions"),
         .hint = str("tokenizer(texts, {.truncation = true, .max_length = ", positions, "})"),
         .location = location});
  }
  const Tensor words = inner(context,
                             Embedding{.input_dim = vocabulary,
                                       .output_dim = sizes.hidden_size,
                                       .embeddings_initializer = sizes.initializers.words,
                                       .name = words_table},
                             {ids});
  const Tensor places = inner(context,
                              Embedding{.input_dim = positions,
                                        .output_dim = sizes.hidden_size,
                                        .embeddings_initializer = sizes.initializers.words,
                                        .name = "embeddings.position_embedding"},
                              {token_positions(tokens)});
  return words + places;
}

Tensor TextTower::pooled(const Tensor& x, const Tensor& ids, CallContext& context) const {
  constexpr int64_t of_old_files = 2;
  const int64_t tokens = x.shape()[1];
  Tensor text;
  if (eos_token_id) {
    const Tensor integers = cast(ids, DType::i32);
    const Tensor place = *eos_token_id == of_old_files
                             ? argmax(integers, 1)
                             : argmax(cast(integers == *eos_token_id, DType::i32), 1);
    const Tensor is_it = expand_dims(cast(place, DType::i32), 1) == iota({1, tokens}, 1);
    text = sum(where(expand_dims(is_it, 2), x, 0.0), {.axis = 1});
  } else {
    text = x[{all, -1}];
  }
  if (head_size == 0) return text;
  return inner(context, tower_dense(head_size, "lecun_normal", "head"), {text});
}

std::vector<Tensor> TextTower::call(const std::vector<Tensor>& xs, CallContext& context) const {
  const AttentionOptions options{.mask = key_mask(xs.at(1)), .causal = causal};
  const Tensor encoded = tower_encoded(embedded(xs.at(0), context), sizes, options, context);
  const Tensor x = layer_norm(encoded, sizes.layer_norm_epsilon, "final_layer_norm", context);
  return {x, pooled(x, xs[0], context)};
}

}  // namespace systolic::inline v0
