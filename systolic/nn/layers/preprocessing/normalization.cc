#include "systolic/nn/layers/preprocessing/normalization.h"

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/normalization/statistics_dtype.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor Normalization::call(const Tensor& x, CallContext& context) const {
  const Tensor in = cast(x, statistics_dtype(x));
  const auto row = [&](const std::vector<double>& values, const char* field_name) {
    const int64_t count = static_cast<int64_t>(values.size());
    if (count != 1 && (x.rank() == 0 || count != x.shape()[-1])) {
      raise<InvalidArgument>(
          {.what = str(field_name, " has ", count, " values for an input of shape ", x.shape()),
           .wanted = "one, or one for each element of the last axis"});
    }
    return constant(Literal::from(values, {count}).convert(in.dtype()));
  };
  // A variance of 0 must not divide by 0 (Keras's epsilon).
  const Tensor deviation = maximum(sqrt(row(variance, "variance")), 1e-7);
  return cast((in - row(mean, "mean")) / deviation, context.compute_dtype());
}

SYSTOLIC_DEFINE_LAYER(Normalization)

}  // namespace systolic::inline v0
