// Losses that ask for a margin (keras.losses): nothing is lost where a prediction is right by 1 or
// more.
//
//   Hinge{}                mean over the last axis of max(1 - y p, 0); labels -1 and 1
//   SquaredHinge{}         of its square
//   CategoricalHinge{}     max(largest p of a wrong class - p of the right one + 1, 0); one-hot
//   rows
//
// [batch, ..., n] -> [batch, ...]. Labels of the first two that are all 0 or 1 are taken for -1 and
// 1. Other shapes are an InvalidArgument. Each is a metric, too: .metrics = {"hinge"}.
#pragma once

#include "systolic/nn/losses/plain_loss.h"

namespace systolic::inline v0 {

Tensor hinge(const Tensor& y_true, const Tensor& y_pred);
// Mean over the last axis of max(1 - y p, 0)^2, in f32; labels that are all 0 or 1 count as
// -1 and 1.
Tensor squared_hinge(const Tensor& y_true, const Tensor& y_pred);
// max(largest p of a wrong class - p of the right one + 1, 0), in f32. y_true holds one-hot rows.
Tensor categorical_hinge(const Tensor& y_true, const Tensor& y_pred);

namespace internal {

struct HingeRule {
  static constexpr const char* kind = "Hinge";
  static constexpr const char* name = "hinge";
  static constexpr auto values = hinge;
};
struct SquaredHingeRule {
  static constexpr const char* kind = "SquaredHinge";
  static constexpr const char* name = "squared_hinge";
  static constexpr auto values = squared_hinge;
};
struct CategoricalHingeRule {
  static constexpr const char* kind = "CategoricalHinge";
  static constexpr const char* name = "categorical_hinge";
  static constexpr auto values = categorical_hinge;
};

}  // namespace internal

using Hinge = PlainLoss<internal::HingeRule>;
using SquaredHinge = PlainLoss<internal::SquaredHingeRule>;
using CategoricalHinge = PlainLoss<internal::CategoricalHingeRule>;

}  // namespace systolic::inline v0
