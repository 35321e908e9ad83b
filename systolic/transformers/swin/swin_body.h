// The body of Swin: patches as a map of features, whose places four and four become one from stage
// to stage.
#pragma once

#include <string>
#include <vector>

#include "systolic/nn/layer.h"
#include "systolic/transformers/swin/swin_config.h"

namespace systolic::inline v0 {

// pixel_values [batch, height, width, channels] -> {last_hidden_state [batch, places, width],
// pooler_output [batch, width], where it pools}.
struct SwinBody {
  static constexpr const char* kind = "SwinBody";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  SwinConfig config;
  bool pools = true;
  bool interpolates = false;  // pictures may have another size than image_size
  std::string name;
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;

 private:
  Tensor embedded(Tensor pixels, CallContext& context) const;
  Tensor merged(Tensor x, const std::string& parts, CallContext& context) const;
};

}  // namespace systolic::inline v0
