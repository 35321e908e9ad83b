#include "systolic/nn/layers/minimum.h"

#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor Minimum::call(const std::vector<Tensor>& xs, CallContext&) const {
  check_inputs(xs, 2);
  Tensor result = xs.front();
  for (size_t i = 1; i < xs.size(); ++i) result = systolic::minimum(result, xs[i]);
  return result;
}

}  // namespace systolic::inline v0
