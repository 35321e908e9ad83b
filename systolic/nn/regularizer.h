// A penalty on a weight, added to the training loss (keras.regularizers).
//
//   Dense{.units = 64, .kernel_regularizer = {.l2 = 1e-4}}     // l1 * sum |w| + l2 * sum w^2
#pragma once

#include <optional>

#include "systolic/nn/config/config.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

struct Regularizer {
  double l1 = 0, l2 = 0;

  bool is_none() const { return l1 == 0 && l2 == 0; }
  // An f32 scalar.
  Tensor operator()(const Tensor& weight) const;
  friend bool operator==(Regularizer a, Regularizer b) { return a.l1 == b.l1 && a.l2 == b.l2; }
};

// For a layer's output [batch, ...], by example. Rows where `mask` [batch] is false do not
// count.
Tensor mean_over_examples(Regularizer regularizer, const Tensor& output,
                          const std::optional<Tensor>& mask);

Config to_config(Regularizer regularizer);
void from_config(const Config& config, Regularizer& regularizer);

}  // namespace systolic::inline v0
