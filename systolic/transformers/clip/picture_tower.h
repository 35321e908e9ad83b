// The half of CLIP and SigLIP that sees pictures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/nn/config/size2.h"
#include "systolic/nn/layer.h"
#include "systolic/transformers/clip/tower.h"

namespace systolic::inline v0 {

// pixel_values [batch, height, width, channels] -> {last_hidden_state [batch, tokens, hidden_size],
// pooler_output [batch, hidden_size], where there is one}. Tokens are the patches, row by row.
struct PictureTower {
  static constexpr const char* kind = "PictureTower";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  TowerSizes sizes;
  Size2 image_size, patch_size;
  bool interpolates = false;  // pictures may have another size than image_size
  // CLIP: a token in front of the patches stands for the picture, and all are normalized first.
  bool has_special_token = false;
  bool has_head = false;  // SigLIP: attention of one learned query to all patches gives it
  std::string name;
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;

 private:
  Tensor embedded(const Tensor& pixels, CallContext& context) const;
};

}  // namespace systolic::inline v0
