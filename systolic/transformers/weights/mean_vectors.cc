#include "systolic/transformers/weights/mean_vectors.h"

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
Tensor near_mean_vectors(const Tensor& vectors, int64_t count) {
  const Tensor table = cast(vectors, DType::f32);
  const int64_t tokens = table.shape()[0];
  const Tensor average = mean(table, {.axis = 0, .keepdims = true}), centered = table - average;
  const double scale = std::sqrt(1e-9 / static_cast<double>(tokens));
  constexpr int64_t most_factors = int64_t{1} << 24;  // at once
  const int64_t step = std::max<int64_t>(most_factors / tokens, 1);
  std::vector<Tensor> drawn;
  for (int64_t done = 0; done < count; done += step) {
    const Tensor factors = random_normal({std::min(step, count - done), tokens}, 0, scale);
    const Tensor rows = cast(matmul(factors, centered) + average, vectors.dtype());
    drawn.emplace_back(rows.literal());  // now: factors of all of them might not fit
  }
  return concat(drawn, 0);
}

Tensor near_mean_numbers(const Tensor& numbers, int64_t count) {
  const Tensor all = cast(numbers, DType::f32);
  const Tensor average = mean(all), deviation = sqrt(mean(square(all - average)));
  return cast(random_normal({count}) * (1e-9 * deviation) + average, numbers.dtype());
}

}  // namespace systolic::inline v0
