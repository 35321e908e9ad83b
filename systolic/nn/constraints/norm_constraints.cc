#include "systolic/base/error.h"
#include "systolic/nn/constraints/max_norm.h"
#include "systolic/nn/constraints/min_max_norm.h"
#include "systolic/nn/constraints/non_neg.h"
#include "systolic/nn/constraints/unit_norm.h"
#include "systolic/nn/constraints/weight_norm.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {

Tensor weight_norm(const Tensor& weight, const std::vector<int64_t>& axis) {
  ReduceOptions along{.keepdims = true};
  for (const int64_t one : axis) {
    if (one < -weight.rank() || one >= weight.rank()) {
      raise<InvalidArgument>({.what = str("a constraint of the norm along axis ", one,
                                          " of a weight of shape ", weight.shape()),
                              .wanted = "axes of the weight"});
    }
    along.axis.values.push_back(static_cast<int>(one < 0 ? one + weight.rank() : one));
  }
  return sqrt(sum(square(weight), along));
}

Tensor with_norm(const Tensor& weight, const Tensor& norm, const Tensor& wanted) {
  constexpr double epsilon = 1e-7;  // Keras's
  return weight * (wanted / (norm + epsilon));
}

Tensor MaxNorm::operator()(const Tensor& weight) const {
  const Tensor norm = weight_norm(weight, axis);
  return with_norm(weight, norm, clip(norm, 0.0, max_value));
}

Tensor MinMaxNorm::operator()(const Tensor& weight) const {
  const Tensor norm = weight_norm(weight, axis);
  return with_norm(weight, norm, rate * clip(norm, min_value, max_value) + (1 - rate) * norm);
}

Tensor UnitNorm::operator()(const Tensor& weight) const {
  const Tensor norm = weight_norm(weight, axis);
  return with_norm(weight, norm, norm * 0.0 + 1.0);
}

Tensor NonNeg::operator()(const Tensor& weight) const { return maximum(weight, 0.0); }

}  // namespace systolic::inline v0
