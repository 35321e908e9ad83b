#include "systolic/nn/predictions.h"

#include "systolic/nn/same_rank.h"
#include "systolic/nn/step_mask.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// The weight where there is one, and 0 where nothing counts.
Tensor counted_weight(const std::optional<Tensor>& weight, const Tensor& counts) {
  if (!weight) return cast(counts, DType::f32);
  return where(counts, weights_like(*weight, counts.shape()), 0.0);
}

// Rows that only pad count nothing, the others by their sample weight.
std::optional<Tensor> weight_of_rows(const Predictions& predicted) {
  if (!predicted.mask) return predicted.sample_weight;
  if (!predicted.sample_weight) return cast(*predicted.mask, DType::f32);
  const Tensor& weight = *predicted.sample_weight;
  return where(with_axes(*predicted.mask, weight.rank()), weight, 0.0);
}

// One number or more for each step.
bool are_of_steps(const Tensor& values, const Tensor& step_mask) {
  return values.rank() > 2 || values.shape() == step_mask.shape();
}

}  // namespace

Predictions predictions_of(const Tensor& values) {
  return {.values = values, .step_mask = step_mask_of(values)};
}

Compared compared(const Tensor& labels, const Predictions& predicted) {
  Compared rows{labels, predicted.values, weight_of_rows(predicted)};
  const bool masked = predicted.step_mask && are_of_steps(predicted.values, *predicted.step_mask);
  if (!masked) return rows;
  rows.labels = labels_of_steps(labels, predicted.values, predicted.step_mask);
  rows.weight = counted_weight(rows.weight, *predicted.step_mask);
  return rows;
}

Compared compared_real_rows(const Tensor& labels, const Predictions& predicted) {
  const int64_t rows = predicted.real_rows;
  Predictions real{.values = first_rows(predicted.values, rows)};
  if (predicted.sample_weight) real.sample_weight = first_rows(*predicted.sample_weight, rows);
  if (predicted.step_mask) real.step_mask = first_rows(*predicted.step_mask, rows);
  return compared(first_rows(labels, rows), real);
}

Compared each_place_a_sample(const Compared& rows, const Tensor& counts) {
  const Tensor weight = counted_weight(rows.weight, counts);
  const int64_t places = counts.size();
  return {reshape(rows.labels, {places}),
          reshape(rows.predictions, {places, rows.predictions.size() / places}),
          reshape(weight, {places})};
}

Tensor first_rows(const Tensor& x, int64_t rows) {
  Shape size = x.shape();
  size.set(0, rows);
  return slice(x, Shape(std::vector<int64_t>(static_cast<size_t>(x.rank()), 0)), size);
}

}  // namespace systolic::inline v0
