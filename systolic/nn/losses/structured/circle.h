// The circle loss of a batch of embeddings (keras.losses.Circle; Sun et al. 2020): pulls those of
// one class together and pushes those of different ones apart, by the pairs of the batch.
//
//   .loss = Circle{.gamma = 80, .margin = 0.4}
//   y_true integers [batch] (or [batch, 1]), y_pred of unit length [batch, features] -> [batch]
//
// Rows whose loss is 0 do not count, as in Keras. A row's loss depends on the others of its batch:
// batches are not padded. Other shapes are an InvalidArgument.
#pragma once

#include "systolic/nn/losses/loss_function.h"

namespace systolic::inline v0 {

struct Circle {
  static constexpr const char* kind = "Circle";
  double gamma = 80.0;
  double margin = 0.4;
  bool remove_diagonal = true;  // an embedding makes no pair with itself
  Reduction reduction = "sum_over_batch_size";
  std::string name = "circle";

  static bool joins_rows() { return true; }
  // Any classes: how many there are has nothing to do with the predictions.
  static std::optional<ClassLabels> class_labels() { return ClassLabels{.checked = false}; }
  Tensor values(const Tensor& y_true, const Tensor& y_pred) const;
  std::optional<Tensor> mask(const Tensor& y_true, const Tensor& y_pred) const;
  Tensor operator()(const Tensor& y_true, const Tensor& y_pred, LossOptions options = {}) const {
    return LossFunction(*this)(y_true, y_pred, std::move(options));
  }

  template <class Self = Circle>
  static constexpr auto fields() {
    return std::tuple(field("gamma", &Self::gamma), field("margin", &Self::margin),
                      field("remove_diagonal", &Self::remove_diagonal),
                      field("reduction", &Self::reduction), field("name", &Self::name));
  }
};

}  // namespace systolic::inline v0
