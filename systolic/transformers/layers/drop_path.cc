#include "systolic/transformers/layers/drop_path.h"

#include <utility>
#include <vector>

#include "systolic/nn/layers/regularization/dropout.h"

namespace systolic::inline v0 {

Tensor drop_path(const Tensor& x, double rate, std::string name, CallContext& context) {
  std::vector<int64_t> noise_shape(static_cast<size_t>(x.rank()), 1);
  noise_shape[0] = -1;
  return Dropout{.rate = rate, .noise_shape = noise_shape, .name = std::move(name)}(x, context);
}

double drop_path_rate(double last, int64_t i, int64_t count) {
  return count > 1 ? last * static_cast<double>(i) / static_cast<double>(count - 1) : 0;
}

}  // namespace systolic::inline v0
