// A low-rank adapter (nn/network/adapter.h): x · kernel + scale · x · A · B, and with a trained
// length of each column of that (DoRA, arXiv 2402.09353, equation 5, whose norm passes no
// gradient). Internal to transformers.
#pragma once

#include <string>

#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

// Weights: lora_A [in, rank], lora_B [rank, units], and lora_magnitude_vector [units] of DoRA,
// which must be set to column_lengths() before it is used.
struct LoraLayer {
  static constexpr const char* kind = "LoraLayer";
  static constexpr LayerTraits traits = {};
  int64_t rank = 8;
  double scale = 1;
  double dropout = 0;
  bool has_magnitude = false;
  Initializer a_initializer = "zeros", b_initializer = "zeros";
  std::string name = "lora";

  Tensor call(const std::vector<Tensor>& xs, CallContext& context) const;
  // The kernel that computes the same without an adapter: [in, units].
  Tensor merged(const Tensor& kernel, const Tensor& a, const Tensor& b,
                const Tensor* magnitude) const;
};

// The length of each column: [in, units] -> [units].
Tensor column_lengths(const Tensor& kernel);

}  // namespace systolic::inline v0
