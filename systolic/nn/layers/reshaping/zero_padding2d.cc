#include "systolic/nn/layers/reshaping/zero_padding2d.h"

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Tensor ZeroPadding2D::call(const Tensor& x, CallContext&) const {
  check_rank(x, 4, "[batch, height, width, channels]");
  if (padding.size() != 2) {
    raise<InvalidArgument>({.what = str("padding has ", padding.size(), " pairs"),
                            .wanted = "two: {{top, bottom}, {left, right}}"});
  }
  return pad(x, {{0, 0}, padding[0], padding[1], {0, 0}});
}

SYSTOLIC_DEFINE_LAYER(ZeroPadding2D)

}  // namespace systolic::inline v0
