// Losses of the overlap of two sets, for segmentation (keras.losses): Dice (Sudre et al. 2017) and
// Tversky (Salehi et al. 2017), which weighs the two ways to be wrong.
//
//   Dice{}                            1 - 2 sum(y p) / (sum(y) + sum(p) + 1e-7)
//   Tversky{.alpha = 0.3, .beta = 0.7}
//       1 - sum(y p) / (sum(y p) + alpha sum(y (1 - p)) + beta sum(p (1 - y)) + 1e-7)
//
// The sums are over the axes given in `axis`, [batch, ...] -> what remains; without, over all: one
// number for a batch, whose rows are then not padded. Other shapes, and an axis that there is not,
// are an InvalidArgument.
#pragma once

#include <optional>
#include <vector>

#include "systolic/nn/losses/loss_function.h"

namespace systolic::inline v0 {

struct Dice {
  static constexpr const char* kind = "Dice";
  Reduction reduction = "sum_over_batch_size";
  std::string name = "dice";
  std::optional<std::vector<int64_t>> axis = {};

  bool joins_rows() const;
  Tensor values(const Tensor& y_true, const Tensor& y_pred) const;
  Tensor operator()(const Tensor& y_true, const Tensor& y_pred, LossOptions options = {}) const {
    return LossFunction(*this)(y_true, y_pred, std::move(options));
  }

  template <class Self = Dice>
  static constexpr auto fields() {
    return std::tuple(field("reduction", &Self::reduction), field("name", &Self::name),
                      field("axis", &Self::axis));
  }
};

struct Tversky {
  static constexpr const char* kind = "Tversky";
  double alpha = 0.5;  // of what was missed
  double beta = 0.5;   // of what was said in error
  Reduction reduction = "sum_over_batch_size";
  std::string name = "tversky";
  std::optional<std::vector<int64_t>> axis = {};

  bool joins_rows() const;
  Tensor values(const Tensor& y_true, const Tensor& y_pred) const;
  Tensor operator()(const Tensor& y_true, const Tensor& y_pred, LossOptions options = {}) const {
    return LossFunction(*this)(y_true, y_pred, std::move(options));
  }

  template <class Self = Tversky>
  static constexpr auto fields() {
    return std::tuple(field("alpha", &Self::alpha), field("beta", &Self::beta),
                      field("reduction", &Self::reduction), field("name", &Self::name),
                      field("axis", &Self::axis));
  }
};

}  // namespace systolic::inline v0
