// A loss whose only fields are its reduction and its name. One template, and a rule for each: its
// `kind`, its `name` and its `values`. Internal to losses.
//
//   struct PoissonRule { static constexpr const char* kind = "Poisson"; ... };
//   using Poisson = PlainLoss<PoissonRule>;
#pragma once

#include "systolic/nn/losses/loss_function.h"

namespace systolic::inline v0 {

template <class Rule>
struct PlainLoss {
  static constexpr const char* kind = Rule::kind;
  Reduction reduction = "sum_over_batch_size";
  std::string name = Rule::name;

  Tensor values(const Tensor& y_true, const Tensor& y_pred) const {
    return Rule::values(y_true, y_pred);
  }
  Tensor operator()(const Tensor& y_true, const Tensor& y_pred, LossOptions options = {}) const {
    return LossFunction(*this)(y_true, y_pred, std::move(options));
  }

  template <class Self = PlainLoss>
  static constexpr auto fields() {
    return std::tuple(field("reduction", &Self::reduction), field("name", &Self::name));
  }
};

}  // namespace systolic::inline v0
