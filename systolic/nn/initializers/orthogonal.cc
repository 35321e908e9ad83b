#include "systolic/nn/initializers/orthogonal.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "systolic/base/error.h"
#include "systolic/nn/initializers/host_random.h"

namespace systolic::inline v0 {
namespace {

// Gram-Schmidt on `count` vectors, twice over for accuracy.
std::vector<double> orthonormal(std::span<const float> drawn, int64_t count, int64_t length) {
  std::vector<double> basis(drawn.begin(), drawn.end());
  for (int64_t i = 0; i < count; ++i) {
    double* vector = basis.data() + i * length;
    for (int pass = 0; pass < 2; ++pass) {
      for (int64_t before = 0; before < i; ++before) {
        const double* other = basis.data() + before * length;
        const double along = std::inner_product(vector, vector + length, other, 0.0);
        for (int64_t k = 0; k < length; ++k) vector[k] -= along * other[k];
      }
    }
    const double norm = std::sqrt(std::inner_product(vector, vector + length, vector, 0.0));
    for (int64_t k = 0; k < length; ++k) vector[k] /= norm;
  }
  return basis;
}

}  // namespace

Literal Orthogonal::operator()(const Shape& shape, uint64_t layer_seed) const {
  if (shape.rank() < 2) {
    raise<InvalidArgument>(
        {.what = str("Orthogonal: the weight has shape ", shape), .wanted = "at least two axes"});
  }
  const int64_t columns = shape[-1], rows = shape.elements() / std::max<int64_t>(1, columns);
  const int64_t count = std::min(rows, columns), length = std::max(rows, columns);
  const Literal drawn =
      host_normal({count, length}, 0, 1, seed ? static_cast<uint64_t>(*seed) : layer_seed);
  const std::vector<double> basis = orthonormal(drawn.data<float>(), count, length);
  Literal result(DType::f32, shape);
  const std::span<float> values = result.mutable_data<float>();
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      const int64_t at = rows < columns ? row * length + column : column * length + row;
      values[static_cast<size_t>(row * columns + column)] =
          static_cast<float>(gain * basis[static_cast<size_t>(at)]);
    }
  }
  return result;
}

}  // namespace systolic::inline v0
