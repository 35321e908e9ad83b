#include "systolic/nn/regularizer.h"

#include "systolic/base/error.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

namespace {

// The mean of |cos| over all pairs along `axis`, which is kept apart.
Tensor mean_of_cosines(const Tensor& w, int axis) {
  if (w.rank() != 2) {
    raise<InvalidArgument>(
        {.what = str("an orthogonal regularizer of a weight of shape ", w.shape()),
         .wanted = "a matrix"});
  }
  const Tensor rows = axis == 0 ? w : transpose(w);
  const Tensor squares = sum(square(rows), {.axis = 1, .keepdims = true});
  const Tensor unit = rows * rsqrt(maximum(squares, 1e-24));
  const int64_t count = rows.shape()[0];
  const Tensor others = matmul(unit, unit, {.transpose_b = true}) * (1.0 - eye(count));
  return 0.5 * sum(abs(others)) / (static_cast<double>(count) * static_cast<double>(count - 1) / 2);
}

}  // namespace

Tensor Regularizer::operator()(const Tensor& weight) const {
  const Tensor w = cast(weight, DType::f32);
  Tensor total = constant(0.f);
  if (l1 != 0) total = total + l1 * sum(abs(w));
  if (l2 != 0) total = total + l2 * sum(square(w));
  if (orthogonal_rows != 0) total = total + orthogonal_rows * mean_of_cosines(w, 0);
  if (orthogonal_columns != 0) total = total + orthogonal_columns * mean_of_cosines(w, 1);
  return total;
}

Tensor mean_over_examples(Regularizer regularizer, const Tensor& output,
                          const std::optional<Tensor>& mask) {
  if (!mask) return regularizer(output) / static_cast<double>(output.shape()[0]);
  Tensor rows = *mask;
  while (rows.rank() < output.rank()) rows = expand_dims(rows, -1);
  return divide_no_nan(regularizer(where(rows, output, 0.0)), sum(cast(*mask, DType::f32)));
}

Config to_config(Regularizer regularizer) {
  if (regularizer.is_none()) return {};
  Config config;
  config.set("l1", regularizer.l1);
  config.set("l2", regularizer.l2);
  if (regularizer.orthogonal_rows != 0) config.set("orthogonal_rows", regularizer.orthogonal_rows);
  if (regularizer.orthogonal_columns != 0)
    config.set("orthogonal_columns", regularizer.orthogonal_columns);
  return config;
}

void from_config(const Config& config, Regularizer& regularizer) {
  regularizer = {};
  if (config.is_null()) return;
  const std::pair<const char*, double*> fields[] = {
      {"l1", &regularizer.l1},
      {"l2", &regularizer.l2},
      {"orthogonal_rows", &regularizer.orthogonal_rows},
      {"orthogonal_columns", &regularizer.orthogonal_columns}};
  for (const auto& [name, value] : fields) {
    if (const Config* given = config.find(name)) *value = given->number();
  }
}

}  // namespace systolic::inline v0
