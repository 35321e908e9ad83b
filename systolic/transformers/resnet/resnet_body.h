// The body of ResNet: a strided convolution and a pooling, then stages of residual layers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/nn/layer.h"
#include "systolic/transformers/resnet/resnet_config.h"

namespace systolic::inline v0 {

// A residual layer: x [batch, height, width, in] -> [batch, height / stride, width / stride,
// filters].
struct ResNetLayer {
  static constexpr const char* kind = "ResNetLayer";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  bool has_bottleneck = true;
  bool strides_first = false;  // the bottleneck's first convolution, not its second
  std::string activation = "relu";
  int64_t filters = 0;
  int64_t stride = 1;
  std::string name;
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;
};

// pixel_values [batch, height, width, channels] -> {last_hidden_state, pooler_output}.
struct ResNetBody {
  static constexpr const char* kind = "ResNetBody";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  ResNetConfig config;
  std::string name;
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;
};

}  // namespace systolic::inline v0
