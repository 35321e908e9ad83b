#include "systolic/nn/layers/preprocessing/categories.h"

#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Tensor encode_categories(const Tensor& places, CategoryOutput mode, int64_t depth, DType dtype) {
  if (mode.is("int")) return cast(places, dtype);
  Tensor in = places;
  if (mode.is("one_hot")) {
    if (in.rank() > 1 && in.shape()[-1] == 1) in = squeeze(in, {-1});
    return one_hot(in, depth, dtype);
  }
  const Tensor each = one_hot(in, depth, dtype);
  if (mode.is("multi_hot")) return max(each, {.axis = in.rank() > 1 ? -2 : 0});
  return sum(each, {.axis = in.rank() > 1 ? 1 : 0});
}

}  // namespace systolic::inline v0
