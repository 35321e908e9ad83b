// For tests of fit: a small classifier, and data that it can learn.
#pragma once

#include <cmath>
#include <utility>

#include "systolic/data/dataset.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/ops/random.h"
#include "systolic/train/model/model.h"

namespace systolic {

struct Arrays {
  Literal x, y;
};

// Three classes told apart by which third of the inputs is largest.
inline Arrays three_classes(int64_t rows) {
  Arrays arrays{Literal(DType::f32, {rows, 6}), Literal(DType::i64, {rows})};
  auto x = arrays.x.mutable_data<float>();
  auto y = arrays.y.mutable_data<int64_t>();
  for (size_t i = 0; i < y.size(); ++i) {
    y[i] = static_cast<int64_t>(i * 7 % 3);
    for (size_t k = 0; k < 6; ++k) {
      x[i * 6 + k] = (static_cast<int64_t>(k / 2) == y[i] ? 1.0f : 0.0f) +
                     0.1f * std::sin(static_cast<float>(i + k));
    }
  }
  return arrays;
}

inline Model small_model(int64_t steps_per_execution = 1) {
  set_seed(7);
  Model model =
      Sequential({Input{.shape = {6}}, Dense{.units = 8, .activation = "relu"}, Dense{.units = 3}});
  model.compile({.optimizer = Adam{.learning_rate = 0.02},
                 .loss = SparseCategoricalCrossentropy{.from_logits = true},
                 .metrics = {"sparse_categorical_accuracy"},
                 .steps_per_execution = steps_per_execution});
  return model;
}

inline data::Dataset batches(const Arrays& arrays, int64_t size) {
  return data::from_tensor_slices(std::pair(arrays.x, arrays.y)).batch(size);
}

}  // namespace systolic
