#include "systolic/nn/layers/pooling/pooling_call.h"

namespace systolic::inline v0 {

Tensor pooled(const Tensor& x, const Window& window, Pool pool) {
  check_window(x, window);
  return pool(
      x, {.window = window.size, .strides = window.strides, .padding = spatial_padding(x, window)},
      SourceLocation::current());
}

}  // namespace systolic::inline v0
