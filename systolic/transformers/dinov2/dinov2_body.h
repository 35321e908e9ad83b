// The body of DINOv2: a picture cut into patches through an encoder whose layers scale what they
// add, feature by feature.
#pragma once

#include <string>
#include <vector>

#include "systolic/nn/layer.h"
#include "systolic/transformers/dinov2/dinov2_config.h"

namespace systolic::inline v0 {

// One layer: x [batch, tokens, hidden_size] -> the same.
struct Dinov2Layer {
  static constexpr const char* kind = "Dinov2Layer";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  Dinov2Config config;
  std::string name;
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

 private:
  Tensor attended(const Tensor& x, CallContext& context) const;
  Tensor widened(const Tensor& x, CallContext& context) const;
};

// pixel_values [batch, height, width, channels] -> last_hidden_state [batch, 1 + patches,
// hidden_size].
struct Dinov2Body {
  static constexpr const char* kind = "Dinov2Body";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  Dinov2Config config;
  std::string name;
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& pixels, CallContext& context) const;

 private:
  Tensor embedded(const Tensor& pixels, CallContext& context) const;
};

}  // namespace systolic::inline v0
