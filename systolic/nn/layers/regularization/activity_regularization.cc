#include "systolic/nn/layers/regularization/activity_regularization.h"

#include "systolic/nn/define_layer.h"

namespace systolic::inline v0 {

Tensor ActivityRegularization::call(const Tensor& x, CallContext& context) const {
  const Regularizer regularizer{.l1 = l1, .l2 = l2};
  if (!regularizer.is_none()) {
    context.add_loss(mean_over_examples(regularizer, x, context.sample_mask()));
  }
  return x;
}

SYSTOLIC_DEFINE_LAYER(ActivityRegularization)

}  // namespace systolic::inline v0
