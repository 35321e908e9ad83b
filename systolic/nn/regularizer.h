// A penalty on a weight, added to the training loss (keras.regularizers).
//
//   Dense{.units = 64, .kernel_regularizer = {.l2 = 1e-4}}     // l1 * sum |w| + l2 * sum w^2
//   Dense{.units = 64, .kernel_regularizer = {.orthogonal_rows = 0.01}}
//
// orthogonal_rows and orthogonal_columns are OrthogonalRegularizer's factor in either mode: they
// times the mean of |cos| over the pairs of rows, or columns, of a matrix. A weight of another rank
// is an InvalidArgument.
#pragma once

#include <optional>

#include "systolic/nn/config/config.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

struct Regularizer {
  double l1 = 0, l2 = 0;
  double orthogonal_rows = 0, orthogonal_columns = 0;

  bool is_none() const { return *this == Regularizer{}; }
  // An f32 scalar.
  Tensor operator()(const Tensor& weight) const;
  friend bool operator==(const Regularizer& a, const Regularizer& b) = default;
};

// For a layer's output [batch, ...], by example. Rows where `mask` [batch] is false do not
// count.
Tensor mean_over_examples(Regularizer regularizer, const Tensor& output,
                          const std::optional<Tensor>& mask);

Config to_config(Regularizer regularizer);
void from_config(const Config& config, Regularizer& regularizer);

}  // namespace systolic::inline v0
