// The body of ViT and DeiT: a picture cut into patches, each a token, through an encoder that
// normalizes before attention and before the dense network.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/nn/config/size2.h"
#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct ViTSizes {
  Size2 image_size, patch_size;
  int64_t hidden_size = 0;
  int64_t heads = 0;
  int64_t intermediate_size = 0;
  std::string activation = "gelu";
  double layer_norm_epsilon = 1e-12;
  double initializer_range = 0.02;
  double dropout = 0;            // of embeddings, of what attention and the dense network give
  double attention_dropout = 0;  // of attention's probabilities
  bool projection_bias = true;   // of query, key and value
  // DeiT's second token besides the patches (Touvron et al. 2020, section 4).
  bool distills = false;
  bool interpolates = false;  // pictures may have another size than image_size

  Size2 grid() const {
    return {image_size.height / patch_size.height, image_size.width / patch_size.width};
  }
  int64_t patches() const { return grid().height * grid().width; }
  // In front of the patches: the class token, and the distillation token.
  int64_t special_tokens() const { return distills ? 2 : 1; }
};

// One layer: x [batch, tokens, hidden_size] -> the same.
struct ViTLayer {
  static constexpr const char* kind = "ViTLayer";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  ViTSizes sizes;
  std::string name;
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

 private:
  Tensor attended(const Tensor& x, CallContext& context) const;
};

// pixel_values [batch, height, width, channels] -> {last_hidden_state [batch, tokens, hidden_size],
// pooler_output [batch, pooler_size]}. Tokens are the special ones, then the patches row by row.
struct ViTBody {
  static constexpr const char* kind = "ViTBody";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  ViTSizes sizes;
  int64_t layers = 0;
  int64_t pooler_size = 0;  // 0: there is none
  std::string pooler_activation = "tanh";
  std::string name;
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;

 private:
  Tensor embedded(const Tensor& pixels, CallContext& context) const;
};

}  // namespace systolic::inline v0
