// Swin Transformer (Liu et al. 2021, arXiv 2103.14030): the fields and defaults of transformers'
// SwinConfig.
//
// Input: pixel_values f32 [batch, height, width, channels], as an ImageProcessor makes them
// (transformers/images/image_processor.h), of any height and width that hold a window in each
// stage; of image_size alone with use_absolute_embeddings, unless
// PretrainedOptions::interpolate_pos_encoding. Features: last_hidden_state [batch, places of the
// last stage, width] and pooler_output [batch, width], its mean; the width is embed_dim, doubled
// from stage to stage.
//
//   auto swin = SwinForImageClassification::from_pretrained("swin-tiny-patch4-window7-224/");
//
// Masked image modelling and SwinBackbone have no classes here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/nn/config/size2.h"
#include "systolic/transformers/architecture/architecture.h"

namespace systolic::inline v0 {

struct SwinConfig {
  static constexpr const char* model_type = "swin";
  static constexpr const char* class_prefix = "Swin";
  static constexpr const char* body_name = "swin";
  static constexpr bool interpolates_positions = true;

  Size2 image_size = 224;
  Size2 patch_size = 4;
  int64_t num_channels = 3;
  int64_t embed_dim = 96;
  std::vector<int64_t> depths = {2, 2, 6, 2};       // layers of each stage
  std::vector<int64_t> num_heads = {3, 6, 12, 24};  // of each stage
  int64_t window_size = 7;                          // in patches, each way
  double mlp_ratio = 4;                             // the dense network's width by a stage's
  bool qkv_bias = true;
  double hidden_dropout_prob = 0;
  double attention_probs_dropout_prob = 0;
  double drop_path_rate = 0.1;
  std::string hidden_act = "gelu";
  bool use_absolute_embeddings = false;
  double initializer_range = 0.02;
  double layer_norm_eps = 1e-5;

  static std::vector<Task> tasks();
  static WeightNames weight_names();
  void transfer(ConfigFields& fields);
  std::vector<InputOptions> inputs() const;
  std::vector<Symbol> build(const BuildArguments& arguments) const;
};

}  // namespace systolic::inline v0
