#include "systolic/torch/nn/init.h"

#include <algorithm>
#include <cmath>

#include "systolic/torch/generator.h"

namespace systolic::inline v0 {
namespace torch {
namespace nn {
namespace init {

int64_t fan_in(const Shape& weight) {
  int64_t product = 1;
  for (int i = 1; i < weight.rank(); ++i) product *= weight[i];
  return std::max<int64_t>(product, 1);
}

Literal kaiming_uniform(const Shape& shape, double a) {
  // In torch's steps, so that the bound is rounded as there.
  const double gain = std::sqrt(2.0 / (1 + a * a));
  const double stddev = gain / std::sqrt(static_cast<double>(fan_in(shape)));
  const double bound = std::sqrt(3.0) * stddev;
  return uniform(shape, -bound, bound);
}

Literal uniform(const Shape& shape, double low, double high) {
  return default_generator().uniform(shape, low, high);
}
Literal normal(const Shape& shape, double mean, double stddev) {
  return default_generator().normal(shape, mean, stddev);
}

}  // namespace init
}  // namespace nn
}  // namespace torch
}  // namespace systolic::inline v0
