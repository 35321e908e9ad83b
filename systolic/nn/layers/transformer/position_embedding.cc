#include "systolic/nn/layers/transformer/position_embedding.h"

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Tensor PositionEmbedding::call(const Tensor& x, CallContext& context) const {
  check_positive("sequence_length", sequence_length);
  check_min_rank(x, 3, "[batch, ..., length, features]");
  const int64_t length = x.shape()[-2], features = x.shape()[-1];
  // The shape is checked by the first call: subtracting keeps a large start_index from overflowing.
  if (start_index < 0 || start_index > sequence_length || length > sequence_length - start_index) {
    raise<InvalidArgument>(
        {.what = str("a sequence of ", length, " from position ", start_index),
         .wanted = str("positions below sequence_length, ", sequence_length.get()),
         .hint = "truncate the sequence, or make the embedding longer"});
  }
  const Tensor table =
      context.weight("embeddings", {sequence_length, features}, {.initializer = initializer});
  return broadcast_to(slice(table, {start_index, 0}, {length, features}), x.shape());
}

SYSTOLIC_DEFINE_LAYER(PositionEmbedding)

}  // namespace systolic::inline v0
