#include "systolic/nn/metrics/confusion/class_rows.h"

#include "systolic/nn/same_rank.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Tensor one_hot_rows(const Tensor& classes, int64_t count) {
  const Tensor column = reshape(cast(classes, DType::i32), {classes.size(), 1});
  return cast(equal(column, iota({1, count}, 1)), DType::f32);
}

Tensor weight_column(const MetricOptions& options, const Shape& labels) {
  if (!options.sample_weight) return ones({labels.elements(), 1});
  const Tensor weight = cast(*options.sample_weight, DType::f32);
  return reshape(weights_like(weight, labels), {labels.elements(), 1});
}

}  // namespace systolic::inline v0
