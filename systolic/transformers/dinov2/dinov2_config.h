// DINOv2 (Oquab et al. 2023, arXiv 2304.07193): the fields and defaults of transformers'
// Dinov2Config.
//
// Input: pixel_values f32 [batch, height, width, channels], as an ImageProcessor makes them
// (transformers/images/image_processor.h). Height and width are any that hold a patch: positions
// lie between those of image_size. Features: last_hidden_state [batch, 1 + patches, hidden_size],
// whose first token stands for the picture, and pooler_output [batch, hidden_size], that token.
//
//   auto dino = Dinov2Model::from_pretrained("dinov2-small/");
//
// Patches are not masked (`bool_masked_pos`), and Dinov2Backbone has no class here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/nn/config/size2.h"
#include "systolic/transformers/architecture/architecture.h"

namespace systolic::inline v0 {

struct Dinov2Config {
  static constexpr const char* model_type = "dinov2";
  static constexpr const char* class_prefix = "Dinov2";
  static constexpr const char* body_name = "dinov2";
  static constexpr bool interpolates_positions = true;

  int64_t hidden_size = 768;
  int64_t num_hidden_layers = 12;
  int64_t num_attention_heads = 12;
  int64_t mlp_ratio = 4;  // the dense network's width by hidden_size
  std::string hidden_act = "gelu";
  double hidden_dropout_prob = 0;
  double attention_probs_dropout_prob = 0;
  double initializer_range = 0.02;
  double layer_norm_eps = 1e-6;
  Size2 image_size = 224;  // {height, width} that positions were trained on
  Size2 patch_size = 14;
  int64_t num_channels = 3;
  bool qkv_bias = true;
  double layerscale_value = 1;  // that the scales of what layers add start as
  double drop_path_rate = 0;
  bool use_swiglu_ffn = false;
  bool use_mask_token = true;  // there is a vector for masked patches

  static std::vector<Task> tasks();
  static WeightNames weight_names();
  void transfer(ConfigFields& fields);
  std::vector<InputOptions> inputs() const;
  std::vector<Symbol> build(const BuildArguments& arguments) const;
};

}  // namespace systolic::inline v0
