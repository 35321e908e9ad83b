// The body of ConvNeXt: stages of layers that see a wide window of each channel by itself and then
// all channels of each place.
#pragma once

#include <string>
#include <vector>

#include "systolic/nn/layer.h"
#include "systolic/transformers/convnext/convnext_config.h"

namespace systolic::inline v0 {

// One layer: x [batch, height, width, channels] -> the same.
struct ConvNextLayer {
  static constexpr const char* kind = "ConvNextLayer";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  ConvNextConfig config;
  double drop_path = 0;
  std::string name;
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;
};

// pixel_values [batch, height, width, channels] -> {last_hidden_state, pooler_output}.
struct ConvNextBody {
  static constexpr const char* kind = "ConvNextBody";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  ConvNextConfig config;
  std::string name;
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;

 private:
  Tensor downsampled(const Tensor& x, size_t stage, CallContext& context) const;
};

}  // namespace systolic::inline v0
