// BEiT (Bao et al. 2021, arXiv 2106.08254), fine-tuned: the fields and defaults of transformers'
// BeitConfig.
//
// Input: pixel_values f32 [batch, image_size, image_size, channels], as an ImageProcessor makes
// them (transformers/images/image_processor.h). Features: last_hidden_state [batch, 1 + patches,
// hidden_size], the picture's own token first, and pooler_output [batch, hidden_size], the mean of
// the patches or that token.
//
//   auto model = BeitForImageClassification::from_pretrained("beit-base-patch16-224/");
//
// Masked image modelling and segmentation have no class here. Pictures may have another size with
// {.interpolate_pos_encoding = true}: what the tables of positions and distances hold for
// image_size is interpolated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/transformers/architecture/architecture.h"

namespace systolic::inline v0 {

struct BeitConfig {
  static constexpr const char* model_type = "beit";
  static constexpr const char* class_prefix = "Beit";
  static constexpr const char* body_name = "beit";
  static constexpr bool interpolates_positions = true;
  static constexpr int64_t most_patches_across = 128;  // a bias for each pair costs its square

  int64_t hidden_size = 768;
  int64_t num_hidden_layers = 12;
  int64_t num_attention_heads = 12;
  int64_t intermediate_size = 3072;
  std::string hidden_act = "gelu";
  double hidden_dropout_prob = 0;
  double attention_probs_dropout_prob = 0;
  double initializer_range = 0.02;
  double layer_norm_eps = 1e-12;
  int64_t image_size = 224;  // height and width
  int64_t patch_size = 16;
  int64_t num_channels = 3;
  bool use_mask_token = false;  // files have one, which nothing reads here
  bool use_absolute_position_embeddings = false;
  bool use_relative_position_bias = false;         // a table of each layer
  bool use_shared_relative_position_bias = false;  // one of all layers
  double layer_scale_init_value = 0.1;             // of what a layer adds; 0: it is not scaled
  double drop_path_rate = 0.1;                     // of the last layer
  bool use_mean_pooling = true;  // of patches; else the picture's own token counts

  static std::vector<Task> tasks() { return {Task::features, Task::image_classification}; }
  static WeightNames weight_names();
  void transfer(ConfigFields& fields);
  std::vector<InputOptions> inputs() const;
  std::vector<Symbol> build(const BuildArguments& arguments) const;
};

}  // namespace systolic::inline v0
