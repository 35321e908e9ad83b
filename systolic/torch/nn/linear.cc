#include "systolic/torch/nn/linear.h"

#include <cmath>

#include "systolic/base/error.h"
#include "systolic/torch/nn/init.h"
#include "systolic/trace/ops/contraction.h"

namespace systolic::inline v0 {
namespace torch {
namespace nn {

Linear::Linear(int64_t in_features, int64_t out_features, LinearOptions options, At at)
    : Module("Linear", at) {
  if (in_features < 1 || out_features < 1) {
    raise<InvalidArgument>({.what = str("Linear(", in_features, ", ", out_features, ")"),
                            .wanted = "1 or more features",
                            .location = at});
  }
  weight = register_parameter("weight",
                              init::kaiming_uniform({out_features, in_features}, std::sqrt(5.0)));
  if (!options.bias) return;
  const double bound = 1 / std::sqrt(static_cast<double>(in_features));
  bias = register_parameter("bias", init::uniform({out_features}, -bound, bound));
}

Tensor Linear::forward(const Tensor& x) const {
  if (x.rank() == 0 || x.size(-1) != weight.shape()[1]) {
    raise<InvalidArgument>({.what = str("input of shape ", x.shape()),
                            .wanted = str("[..., ", weight.shape()[1], "]"),
                            .location = location()});
  }
  const bool is_row = x.rank() == 1;
  const Tensor rows = is_row ? x.unsqueeze(0, location()) : x;
  Tensor y = matmul(rows, weight.value(location()), {.transpose_b = true}, location());
  if (is_row) y = y.squeeze(0, location());
  return bias.valid() ? Tensor(y + bias.value(location())) : y;
}

}  // namespace nn
}  // namespace torch
}  // namespace systolic::inline v0
