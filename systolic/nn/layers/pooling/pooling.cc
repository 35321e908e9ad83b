#include "systolic/nn/layers/pooling/pooling.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/window.h"
#include "systolic/trace/ops/contraction.h"

namespace systolic::inline v0 {
namespace {

using PoolingOp = Tensor (*)(const Tensor& x, PoolOptions options, SourceLocation at);
constexpr PoolingOp pooling_ops[] = {max_pool, average_pool};

}  // namespace

template <Pool pool, int rank>
Tensor Pooling<pool, rank>::call(const Tensor& x, CallContext&) const {
  const Window window = pool_window(*this);
  check_window(x, window);
  return pooling_ops[static_cast<int>(pool)](
      x, {.window = window.size, .strides = window.strides, .padding = spatial_padding(x, window)},
      SourceLocation::current());
}

SYSTOLIC_DEFINE_LAYER(MaxPooling1D)
SYSTOLIC_DEFINE_LAYER(MaxPooling2D)
SYSTOLIC_DEFINE_LAYER(MaxPooling3D)
SYSTOLIC_DEFINE_LAYER(AveragePooling1D)
SYSTOLIC_DEFINE_LAYER(AveragePooling2D)
SYSTOLIC_DEFINE_LAYER(AveragePooling3D)

}  // namespace systolic::inline v0
