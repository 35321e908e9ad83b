#include "systolic/nn/optimizers/update/gradient_clipping.h"

#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {
namespace {

// f32, whatever the gradient's type.
Tensor square_sum(const Tensor& gradient) { return sum(square(cast(gradient, DType::f32))); }

Tensor scaled(const Tensor& gradient, const Tensor& factor) {
  return gradient * cast(factor, gradient.dtype());
}

}  // namespace

std::vector<Tensor> clipped(const std::vector<Tensor>& gradients,
                            const GradientClipping& clipping) {
  std::vector<Tensor> result;
  if (clipping.clipnorm) {
    for (const Tensor& gradient : gradients) {
      const Tensor norm = sqrt(square_sum(gradient));
      result.push_back(scaled(gradient, *clipping.clipnorm / maximum(norm, *clipping.clipnorm)));
    }
  } else if (clipping.global_clipnorm && !gradients.empty()) {
    Tensor total = square_sum(gradients.front());
    for (size_t i = 1; i < gradients.size(); ++i) total = total + square_sum(gradients[i]);
    const double limit = *clipping.global_clipnorm;
    // A norm that is NaN makes every gradient NaN, an infinite one what is infinite: better seen
    // than hidden.
    const Tensor factor = limit / maximum(sqrt(total), limit);
    for (const Tensor& gradient : gradients) result.push_back(scaled(gradient, factor));
  } else if (clipping.clipvalue) {
    for (const Tensor& gradient : gradients) {
      result.push_back(clip(gradient, -*clipping.clipvalue, *clipping.clipvalue));
    }
  } else {
    return gradients;
  }
  return result;
}

}  // namespace systolic::inline v0
