#include "systolic/torch/nn/dropout.h"

#include "systolic/base/error.h"
#include "systolic/torch/process.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"

namespace systolic::inline v0 {
namespace torch {
namespace nn {

Dropout::Dropout(double p, At at) : Module("Dropout", at), p_(p) {
  if (p >= 0 && p <= 1) return;
  raise<InvalidArgument>({.what = str("Dropout(", p, ")"), .wanted = "0 to 1", .location = at});
}

Tensor Dropout::forward(const Tensor& x) const {
  if (!is_training() || p_ == 0) return x;
  if (p_ == 1) return x * 0.0;
  const systolic::Tensor drawn =
      random_uniform(x.shape(), 0, 1, {.key = internal::Process::current().next_key()}, location());
  return where(drawn < p_, 0.0, x / (1 - p_));
}

}  // namespace nn
}  // namespace torch
}  // namespace systolic::inline v0
