#include "systolic/transformers/layers/grid_positions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// Keys' cubic kernel (Keys 1981, equation 4) at that distance, with the sharpness of torch.
double cubic(double distance) {
  constexpr double a = -0.75;
  const double x = std::abs(distance);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((x - 5) * x + 8) * x * a - 4 * a;
  return 0;
}

double hat(double distance) { return std::max(0.0, 1 - std::abs(distance)); }

}  // namespace

Tensor weights_between(int64_t from, int64_t to, Between between) {
  std::vector<float> weights(static_cast<size_t>(from * to));
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const int64_t taps = between == Between::four ? 4 : 2;
  for (int64_t i = 0; i < to; ++i) {
    const double center = (static_cast<double>(i) + 0.5) * scale - 0.5;
    const auto first = static_cast<int64_t>(std::floor(center)) - (taps / 2 - 1);
    for (int64_t tap = first; tap < first + taps; ++tap) {
      const int64_t place = std::clamp<int64_t>(tap, 0, from - 1);
      const double distance = center - static_cast<double>(tap);
      weights[static_cast<size_t>(i * from + place)] +=
          static_cast<float>(between == Between::four ? cubic(distance) : hat(distance));
    }
  }
  return constant(Literal::from(weights, {to, from}));
}

Tensor resized_grid(const Tensor& x, Size2 to, Between between) {
  const auto weights = [&](int64_t before, int64_t after) {
    return cast(weights_between(before, after, between), x.dtype());
  };
  const Tensor rows = einsum("ab,bcd->acd", weights(x.shape()[0], to.height), x);
  return einsum("ab,cbd->cad", weights(x.shape()[1], to.width), rows);
}

Tensor resized_positions(const Tensor& table, int64_t special, Size2 from, Size2 to) {
  if (from == to) return table;
  const int64_t size = table.shape()[2], patches = from.height * from.width;
  const Tensor grid =
      reshape(slice(table, {0, special, 0}, {1, patches, size}), {from.height, from.width, size});
  const Tensor both = resized_grid(grid, to, Between::four);
  const Tensor resized = reshape(both, {1, to.height * to.width, size});
  if (special == 0) return resized;
  return concat({slice(table, {0, 0, 0}, {1, special, size}), resized}, 1);
}

}  // namespace systolic::inline v0
