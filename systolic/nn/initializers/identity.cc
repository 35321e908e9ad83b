#include "systolic/nn/initializers/identity.h"

#include <algorithm>

#include "systolic/base/error.h"

namespace systolic::inline v0 {

Literal Identity::operator()(const Shape& shape, uint64_t layer_seed) const {
  (void)layer_seed;
  if (shape.rank() != 2) {
    raise<InvalidArgument>(
        {.what = str("Identity: the weight has shape ", shape), .wanted = "two axes"});
  }
  Literal result = Literal::zeros(DType::f32, shape);
  const std::span<float> values = result.mutable_data<float>();
  for (int64_t i = 0; i < std::min(shape[0], shape[1]); ++i) {
    values[static_cast<size_t>(i * shape[1] + i)] = static_cast<float>(gain);
  }
  return result;
}

}  // namespace systolic::inline v0
