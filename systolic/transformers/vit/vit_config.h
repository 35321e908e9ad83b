// ViT (Dosovitskiy et al. 2020, arXiv 2010.11929) and DeiT (Touvron et al. 2020, arXiv 2012.12877):
// the fields and defaults of transformers' ViTConfig and DeiTConfig.
//
// Input: pixel_values f32 [batch, height, width, channels], as an ImageProcessor makes them
// (transformers/images/image_processor.h); height and width are image_size. `transformers` has
// channels before height. Features: last_hidden_state [batch, tokens, hidden_size], pooler_output
// [batch, pooler_output_size]. The first token stands for the picture; with DeiT the second does
// too, as a teacher sees it.
//
// With PretrainedOptions::interpolate_pos_encoding height and width are any that hold a patch, and
// positions lie between those of image_size; else another size is an InvalidArgument. Masked image
// modelling has no class here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/nn/config/size2.h"
#include "systolic/transformers/architecture/architecture.h"

namespace systolic::inline v0 {

// ViT's names; its pictures have a class token alone.
struct ViTKind {
  static constexpr const char* model_type = "vit";
  static constexpr const char* class_prefix = "ViT";
  static constexpr bool distills = false;
};
struct DeiTKind {
  static constexpr const char* model_type = "deit";
  static constexpr const char* class_prefix = "DeiT";
  static constexpr bool distills = true;  // has a distillation token
};

template <class Kind>
struct ViTConfigOf {
  static constexpr const char* model_type = Kind::model_type;
  static constexpr const char* class_prefix = Kind::class_prefix;
  static constexpr const char* body_name = Kind::model_type;
  static constexpr bool interpolates_positions = true;

  int64_t hidden_size = 768;
  int64_t num_hidden_layers = 12;
  int64_t num_attention_heads = 12;
  int64_t intermediate_size = 3072;
  std::string hidden_act = "gelu";
  double hidden_dropout_prob = 0;
  double attention_probs_dropout_prob = 0;
  double initializer_range = 0.02;
  double layer_norm_eps = 1e-12;
  Size2 image_size = 224;  // {height, width}
  Size2 patch_size = 16;
  int64_t num_channels = 3;
  bool qkv_bias = true;
  std::optional<int64_t> pooler_output_size = {};  // hidden_size
  std::string pooler_act = "tanh";

  static std::vector<Task> tasks();
  static WeightNames weight_names();
  void transfer(ConfigFields& fields);
  std::vector<InputOptions> inputs() const;
  std::vector<Symbol> build(const BuildArguments& arguments) const;
};

using ViTConfig = ViTConfigOf<ViTKind>;
using DeiTConfig = ViTConfigOf<DeiTKind>;

}  // namespace systolic::inline v0
