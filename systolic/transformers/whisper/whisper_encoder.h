// Whisper's encoder: two convolutions over time, then BART's layers, normalized first. Internal to
// transformers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/nn/layer.h"
#include "systolic/transformers/bart/bart_stack.h"

namespace systolic::inline v0 {

// input_features [batch, mel_bins, 2 * sizes.positions] -> states [batch, sizes.positions,
// sizes.hidden_size].
struct WhisperEncoder {
  static constexpr const char* kind = "WhisperEncoder";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  BartSizes sizes;
  int64_t mel_bins = 80;
  int64_t layers = 0;
  std::string name;
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& features, CallContext& context) const;

 private:
  Tensor convolved(const Tensor& x, int64_t stride, const char* convolution,
                   CallContext& context) const;
  void check_length(const Tensor& features, CallContext& context) const;
};

}  // namespace systolic::inline v0
