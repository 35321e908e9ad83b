#include "systolic/transformers/peft/lora_layer.h"

#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {

Tensor column_lengths(const Tensor& kernel) {
  return sqrt(sum(square(cast(kernel, DType::f32)), {.axis = 0}));
}

Tensor LoraLayer::call(const std::vector<Tensor>& xs, CallContext& context) const {
  const Tensor &x = xs.at(0), &kernel = xs.at(1), &product = xs.at(2);
  const int64_t in = kernel.shape()[0], units = kernel.shape()[1];
  const Tensor a = context.weight("lora_A", {in, rank}, {.initializer = a_initializer});
  const Tensor b = context.weight("lora_B", {rank, units}, {.initializer = b_initializer});
  const bool drops = context.training() && dropout > 0;
  const Tensor kept = drops ? dropped(x, dropout, "dropout", context) : x;
  const Tensor low_rank = matmul(matmul(kept, a), b) * scale;
  if (!has_magnitude) return product + low_rank;
  const Tensor magnitude =
      context.weight("lora_magnitude_vector", {units}, {.initializer = "ones"});
  const Tensor factor =
      magnitude /
      cast(stop_gradient(column_lengths(kernel + matmul(a, b) * scale)), context.compute_dtype());
  // As peft has it: what is dropped is dropped from the whole correction, not from the product.
  if (drops) return product + (factor - 1) * matmul(kept, kernel) + factor * low_rank;
  return factor * (product + low_rank);
}

Tensor LoraLayer::merged(const Tensor& kernel, const Tensor& a, const Tensor& b,
                         const Tensor* magnitude) const {
  const Tensor sum = kernel + matmul(a, b) * scale;
  return magnitude == nullptr ? sum : sum * (*magnitude / column_lengths(sum));
}

}  // namespace systolic::inline v0
