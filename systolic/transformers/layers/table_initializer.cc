#include "systolic/transformers/layers/table_initializer.h"

#include <algorithm>
#include <cmath>

#include "systolic/nn/initializers/random_normal.h"

namespace systolic::inline v0 {

Literal NormalTable::operator()(const Shape& shape, uint64_t seed) const {
  Literal table = RandomNormal{.stddev = stddev}(shape, seed);
  if (!padding) return table;
  const int64_t row = *padding < 0 ? *padding + shape[0] : *padding;
  if (row < 0 || row >= shape[0]) return table;
  std::fill_n(table.mutable_data<float>().begin() + row * shape[1], shape[1], 0.0F);
  return table;
}

Literal SinusoidalTable::operator()(const Shape& shape, uint64_t) const {
  Literal table = Literal::zeros(DType::f32, shape);
  float* next = table.mutable_data<float>().data();
  const auto size = static_cast<double>(shape[1]);
  for (int64_t position = 0; position < shape[0]; ++position) {
    for (int64_t i = 0; i < shape[1]; ++i) {
      const double even = static_cast<double>(i / 2 * 2);
      const double angle = static_cast<double>(position) / std::pow(10000.0, even / size);
      *next++ = static_cast<float>(i % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
  return table;
}

}  // namespace systolic::inline v0
