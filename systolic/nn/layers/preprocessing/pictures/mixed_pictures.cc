#include "systolic/nn/layers/preprocessing/pictures/mixed_pictures.h"

#include "systolic/base/error.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

void check_mixed(const std::vector<Tensor>& xs) {
  if (xs.empty() || xs.size() > 2) {
    raise<InvalidArgument>({.what = str("called on ", xs.size(), " inputs"),
                            .wanted = "pictures, or pictures and their labels"});
  }
  check_pictures(xs[0]);
  if (xs.size() == 1 || (xs[1].rank() == 2 && xs[1].shape()[0] == xs[0].shape()[0])) return;
  raise<InvalidArgument>(
      {.what = str("labels of shape ", xs[1].shape(), " for pictures of shape ", xs[0].shape()),
       .wanted = "[batch, classes]",
       .hint = "one_hot(labels, classes) makes them of numbers"});
}

Tensor mixed_labels(const Tensor& labels, const Tensor& share, const Tensor& partners) {
  const Tensor own = cast(labels, DType::f32), each = reshape(share, {labels.shape()[0], 1});
  return each * own + (1.0 - each) * gather(own, partners);
}

}  // namespace systolic::inline v0
