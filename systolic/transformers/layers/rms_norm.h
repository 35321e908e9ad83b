// Normalization by the root mean square (Zhang and Sennrich 2019, arXiv 1910.07467, equation 4).
// Internal to transformers.
#pragma once

#include <string>

#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

// x / sqrt(mean(x²) + epsilon) · gamma over the last axis, computed in f32: [..., size] -> [...,
// size].
//
// Weights: gamma [size], which starts as 1; with `adds_one` the factor is 1 + gamma, which starts
// as 0 (Gemma).
struct RMSNorm {
  static constexpr const char* kind = "RMSNorm";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  double epsilon = 1e-6;
  bool adds_one = false;
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;
};

}  // namespace systolic::inline v0
