#include "systolic/nn/layers/core/embedding.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Tensor Embedding::call(const Tensor& x, CallContext& context) const {
  check_positive("input_dim", input_dim);
  check_positive("output_dim", output_dim);
  context.check_integers_below(x, input_dim);
  const Tensor positions = cast(x, DType::i32);
  // Looked up in the variable's own type, then cast: only the rows that are used.
  const Variable table = context.add_weight("embeddings", {input_dim, output_dim},
                                            {.initializer = embeddings_initializer,
                                             .regularizer = embeddings_regularizer,
                                             .constraint = embeddings_constraint});
  const Tensor y = cast(gather(table.value(), positions), context.compute_dtype());
  if (mask_zero) context.set_step_mask(y, positions != 0);
  return y;
}

SYSTOLIC_DEFINE_LAYER(Embedding)

}  // namespace systolic::inline v0
