#include "systolic/nn/regularizer.h"

#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Tensor Regularizer::operator()(const Tensor& weight) const {
  const Tensor w = cast(weight, DType::f32);
  Tensor total = constant(0.f);
  if (l1 != 0) total = total + l1 * sum(abs(w));
  if (l2 != 0) total = total + l2 * sum(square(w));
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
  return config;
}

void from_config(const Config& config, Regularizer& regularizer) {
  regularizer = {};
  if (config.is_null()) return;
  if (const Config* l1 = config.find("l1")) regularizer.l1 = l1->number();
  if (const Config* l2 = config.find("l2")) regularizer.l2 = l2->number();
}

}  // namespace systolic::inline v0
