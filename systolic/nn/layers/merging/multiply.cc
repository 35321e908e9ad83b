#include "systolic/nn/layers/merging/multiply.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/merging/merge.h"
#include "systolic/nn/step_mask.h"

namespace systolic::inline v0 {

Tensor Multiply::call(const std::vector<Tensor>& xs, CallContext&) const {
  std::vector<Tensor> factors;
  for (const Tensor& x : xs) factors.push_back(with_masked_steps(x, 1));
  const Tensor product = masked_where_all_are(merged(factors, systolic::multiply), xs);
  const Tensor result = with_masked_steps(product, 0);
  set_step_mask(result, step_mask_of(product));
  return result;
}

SYSTOLIC_DEFINE_LAYER(Multiply)

}  // namespace systolic::inline v0
