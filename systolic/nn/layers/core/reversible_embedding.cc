#include "systolic/nn/layers/core/reversible_embedding.h"

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Tensor ReversibleEmbedding::call(const Tensor& x, CallContext& context) const {
  check_positive("input_dim", input_dim);
  check_positive("output_dim", output_dim);
  const Variable table = context.add_weight("embeddings", {input_dim, output_dim},
                                            {.initializer = embeddings_initializer,
                                             .regularizer = embeddings_regularizer,
                                             .constraint = embeddings_constraint});
  std::optional<Variable> back;
  if (!tie_weights) {
    back = context.add_weight("reverse_embeddings", {output_dim, input_dim},
                              {.initializer = embeddings_initializer});
  }
  if (!is_float(x.dtype())) {
    context.check_integers_below(x, input_dim);
    const Tensor positions = cast(x, DType::i32);
    const Tensor y = cast(gather(table.value(), positions), context.compute_dtype());
    if (mask_zero) context.set_step_mask(y, positions != 0);
    return y;
  }
  check_min_rank(x, 2, "[batch, ..., output_dim]");
  if (x.shape()[-1] != output_dim) {
    raise<InvalidArgument>({.what = str("vectors of ", x.shape()[-1], " numbers ", x.shape()),
                            .wanted = str("output_dim of them, ", output_dim.get())});
  }
  const DType dtype = context.compute_dtype();
  const Tensor in = cast(x, dtype);
  const Tensor logits = back ? matmul(in, cast(back->value(), dtype))
                             : matmul(in, cast(table.value(), dtype), {.transpose_b = true});
  if (!logit_soft_cap) return logits;
  return tanh(logits / *logit_soft_cap) * *logit_soft_cap;
}

// There whether it goes back is an argument of the call, here the type of its input.
KerasForm ReversibleEmbedding::keras_form() { return {.is_of_keras = false}; }

SYSTOLIC_DEFINE_LAYER(ReversibleEmbedding)

}  // namespace systolic::inline v0
