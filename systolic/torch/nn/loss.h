// Losses (torch.nn): an object, called with what the model gave and what was wanted.
//
//   torch::nn::CrossEntropyLoss criterion({.label_smoothing = 0.1});
//   torch::Tensor loss = criterion(logits, labels);
#pragma once

#include <cstdint>
#include <optional>

#include "systolic/torch/tensor.h"

namespace systolic::inline v0 {
namespace torch {
namespace nn {

// What becomes of the losses of a batch: their mean, their sum, or one loss for each.
enum class Reduction : uint8_t { mean, sum, none };

// The keyword argument of losses without weights.
struct LossOptions {
  Reduction reduction = Reduction::mean;  // a scalar, unless none
};

// (input - target)^2, of equal shapes. It does not broadcast, where torch warns and does.
class MSELoss {
 public:
  explicit MSELoss(LossOptions options = {}) : options_(options) {}
  Tensor operator()(const Tensor& input, const Tensor& target, At at = At::current()) const;

 private:
  LossOptions options_;
};

struct BCEWithLogitsOptions {
  std::optional<Tensor> weight = {};      // a factor for each element; broadcast
  std::optional<Tensor> pos_weight = {};  // a factor for the positive targets; broadcast
  Reduction reduction = Reduction::mean;  // of all elements
};

// Binary cross-entropy of logits, of equal shapes; targets are floats from 0 to 1.
class BCEWithLogitsLoss {
 public:
  explicit BCEWithLogitsLoss(BCEWithLogitsOptions options = {}) : options_(std::move(options)) {}
  Tensor operator()(const Tensor& input, const Tensor& target, At at = At::current()) const;

 private:
  BCEWithLogitsOptions options_;
};

struct CrossEntropyOptions {
  std::optional<Tensor> weight = {};  // (classes,): a mean divides by the sum of the targets' ones
  int64_t ignore_index = -100;        // targets that do not count
  double label_smoothing = 0;         // the share of a target that is spread over all classes
  Reduction reduction = Reduction::mean;  // of the targets that are not ignored
};

// Takes logits [batch, classes, ...] and integer targets [batch, ...] from 0 to classes - 1, or
// [classes] and a scalar. A mean over targets that are all ignored is NaN, as in torch.
class CrossEntropyLoss {
 public:
  explicit CrossEntropyLoss(CrossEntropyOptions options = {}) : options_(std::move(options)) {}
  Tensor operator()(const Tensor& input, const Tensor& target, At at = At::current()) const;

 private:
  CrossEntropyOptions options_;
};

}  // namespace nn
}  // namespace torch
}  // namespace systolic::inline v0
