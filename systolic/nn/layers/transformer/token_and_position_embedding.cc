#include "systolic/nn/layers/transformer/token_and_position_embedding.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/layers/core/embedding.h"
#include "systolic/nn/layers/transformer/position_embedding.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor TokenAndPositionEmbedding::call(const Tensor& x, CallContext& context) const {
  check_min_rank(x, 2, "[batch, ..., length]");
  const Tensor tokens = Embedding{.input_dim = vocabulary_size,
                                  .output_dim = embedding_dim,
                                  .embeddings_initializer = embeddings_initializer,
                                  .mask_zero = mask_zero,
                                  .name = "token_embedding",
                                  .location = location}(x, context);
  const Tensor y = tokens + PositionEmbedding{.sequence_length = sequence_length,
                                              .initializer = embeddings_initializer,
                                              .name = "position_embedding",
                                              .location = location}(tokens, context);
  context.set_step_mask(y, context.step_mask(tokens));
  return y;
}

SYSTOLIC_DEFINE_LAYER(TokenAndPositionEmbedding)

}  // namespace systolic::inline v0
