#include "systolic/nn/losses/kl_divergence.h"

#include "systolic/nn/losses/float_pair.h"
#include "systolic/nn/losses/logits_check.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {

Tensor kl_divergence(const Tensor& y_true, const Tensor& y_pred) {
  const auto [labels, scores] = float_pair(y_true, y_pred, "kl_divergence");
  warn_of_logits("kl_divergence", y_pred, ".activation = \"softmax\"");
  const Tensor p = clip(labels, 1e-7, 1.0), q = clip(scores, 1e-7, 1.0);
  return sum(p * log(p / q), {.axis = -1});
}

Tensor KLDivergence::values(const Tensor& y_true, const Tensor& y_pred) const {
  return kl_divergence(y_true, y_pred);
}

}  // namespace systolic::inline v0
