#include "systolic/nn/layers/average.h"

#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor Average::call(const std::vector<Tensor>& xs, CallContext&) const {
  check_inputs(xs, 2);
  Tensor result = xs.front();
  for (size_t i = 1; i < xs.size(); ++i) result = result + xs[i];
  return result / static_cast<double>(xs.size());
}

}  // namespace systolic::inline v0
