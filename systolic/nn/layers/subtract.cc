#include "systolic/nn/layers/subtract.h"

#include "systolic/base/error.h"
#include "systolic/nn/input_check.h"

namespace systolic::inline v0 {

Tensor Subtract::call(const std::vector<Tensor>& xs, CallContext&) const {
  check_inputs(xs, 2);
  if (xs.size() != 2) {
    raise<InvalidArgument>({.what = str("called on ", xs.size(), " inputs"), .wanted = "two"});
  }
  return xs[0] - xs[1];
}

}  // namespace systolic::inline v0
