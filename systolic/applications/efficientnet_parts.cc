#include "systolic/applications/efficientnet_parts.h"

#include <algorithm>

#include "systolic/base/text.h"
#include "systolic/nn/initializers/variance_scaling.h"
#include "systolic/nn/layers/all.h"

namespace systolic::inline v0 {
namespace applications {

std::string block_name(int stage, int64_t repeat) {
  return str("block", stage, static_cast<char>('a' + repeat), "_");
}

Initializer efficientnet_kernel() {
  return VarianceScaling{.scale = 2.0, .mode = "fan_out", .distribution = "truncated_normal"};
}

Symbol efficientnet_pointwise(const Symbol& x, int64_t filters, const std::string& name) {
  return Conv2D{.filters = filters,
                .kernel_size = 1,
                .padding = "same",
                .use_bias = false,
                .kernel_initializer = efficientnet_kernel(),
                .name = name}(x);
}

Symbol norm_swish(const Symbol& x, const NormOptions& options) {
  const Symbol y = BatchNormalization{.momentum = options.momentum, .name = options.name + "bn"}(x);
  return ActivationLayer{.activation = "swish", .name = options.name + "activation"}(y);
}

Symbol squeezed_and_excited(const Symbol& x, int64_t in, double share, const std::string& name) {
  const int64_t channels = x.shape()[3];
  const int64_t squeezed =
      std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(in) * share));
  Symbol y = GlobalAveragePooling2D{.name = name + "se_squeeze"}(x);
  y = Reshape{.target_shape = {1, 1, channels}, .name = name + "se_reshape"}(y);
  y = Conv2D{.filters = squeezed,
             .kernel_size = 1,
             .padding = "same",
             .activation = "swish",
             .kernel_initializer = efficientnet_kernel(),
             .name = name + "se_reduce"}(y);
  y = Conv2D{.filters = channels,
             .kernel_size = 1,
             .padding = "same",
             .activation = "sigmoid",
             .kernel_initializer = efficientnet_kernel(),
             .name = name + "se_expand"}(y);
  return Multiply{.name = name + "se_excite"}({x, y});
}

Symbol residual_of(Symbol x, const Symbol& input, double drop_rate, const std::string& name) {
  if (drop_rate > 0)
    x = Dropout{.rate = drop_rate, .noise_shape = {-1, 1, 1, 1}, .name = name + "drop"}(x);
  return Add{.name = name + "add"}({x, input});
}

Top efficientnet_top(double dropout) {
  return {.pooled_average = "avg_pool",
          .pooled_max = "max_pool",
          .dropout = dropout,
          .kernel_initializer =
              VarianceScaling{.scale = 1.0 / 3, .mode = "fan_out", .distribution = "uniform"}};
}

}  // namespace applications
}  // namespace systolic::inline v0
