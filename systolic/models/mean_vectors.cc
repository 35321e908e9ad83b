#include "systolic/models/mean_vectors.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

// A sum of the centered vectors with normal factors of variance 1 / tokens has their covariance,
// which is never made.
Tensor near_mean_vector(const Tensor& vectors, int64_t count) {
  constexpr int64_t most_drawn = 256;  // vectors at once: as many factors each as there are tokens
  const Tensor table = cast(vectors, DType::f32);
  const int64_t tokens = table.shape()[0];
  const Tensor average = mean(table, {.axes = {0}, .keepdims = true}), centered = table - average;
  const double scale = std::sqrt(1e-9 / static_cast<double>(tokens));
  std::vector<Tensor> drawn;
  for (int64_t done = 0; done < count; done += most_drawn) {
    const int64_t rows = std::min(most_drawn, count - done);
    const Tensor factors = random_normal({rows, tokens}, 0, scale);
    drawn.push_back(cast(matmul(factors, centered) + average, vectors.dtype()));
  }
  return concat(drawn, 0);
}

Tensor near_mean_number(const Tensor& numbers, int64_t count) {
  const Tensor all = cast(numbers, DType::f32);
  const Tensor average = mean(all), deviation = sqrt(mean(square(all - average)));
  return cast(random_normal({count}) * (1e-9 * deviation) + average, numbers.dtype());
}

}  // namespace systolic::inline v0
