#include "systolic/nn/layers/core/dense.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor Dense::call(const Tensor& x, CallContext& context) const {
  check_positive("units", units);
  check_min_rank(x, 2, "[batch, ..., features]");
  const Tensor in = is_float(x.dtype()) ? x : cast(x, context.compute_dtype());
  const Tensor kernel = context.weight("kernel", {in.shape()[-1], units},
                                       {.initializer = kernel_initializer,
                                        .regularizer = kernel_regularizer,
                                        .constraint = kernel_constraint});
  Tensor y = context.adapted(in, kernel, matmul(in, kernel));
  if (use_bias) {
    y = y + context.weight("bias", {units},
                           {.initializer = bias_initializer,
                            .regularizer = bias_regularizer,
                            .constraint = bias_constraint});
  }
  y = activation(y);
  if (!activity_regularizer.is_none()) {
    context.add_loss(mean_over_examples(activity_regularizer, y, context.sample_mask()));
  }
  return y;
}

SYSTOLIC_DEFINE_LAYER(Dense)

}  // namespace systolic::inline v0
