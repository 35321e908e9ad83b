// CLIP (Radford et al. 2021, arXiv 2103.00020): the fields and defaults of transformers'
// CLIPTextConfig, CLIPVisionConfig and CLIPConfig, which holds both.
//
// Inputs: input_ids and attention_mask (1 where it is left out), [batch, tokens]; pixel_values f32
// [batch, height, width, channels], as an ImageProcessor makes them, of image_size, or of any with
// PretrainedOptions::interpolate_pos_encoding.
//
//   auto see = CLIPVisionModelWithProjection::from_pretrained("clip-vit-base-patch32/");
//   auto read = CLIPTextModelWithProjection::from_pretrained("clip-vit-base-patch32/");
//   see.predict_outputs(pixels)["image_embeds"]            // [batch, projection_dim]
//
// The classes of one half take its part of a folder that has both. CLIPModel compares each text
// with each picture of a batch, as many of both, and gives logits_per_image, logits_per_text
// [batch, batch], text_embeds and image_embeds [batch, projection_dim]: predict with a batch_size
// that holds all rows. The contrastive loss has no class here.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "systolic/nn/config/size2.h"
#include "systolic/transformers/architecture/architecture.h"

namespace systolic::inline v0 {

// Features: last_hidden_state [batch, tokens, hidden_size] and pooler_output [batch, hidden_size],
// that of the token which ends a text. The model with a projection gives text_embeds [batch,
// projection_dim], and last_hidden_state.
struct CLIPTextConfig {
  static constexpr const char* model_type = "clip_text_model";
  static constexpr const char* class_prefix = "CLIPText";
  static constexpr const char* body_name = "text_model";

  int64_t vocab_size = 49408;
  int64_t hidden_size = 512;
  int64_t intermediate_size = 2048;
  int64_t projection_dim = 512;
  int64_t num_hidden_layers = 12;
  int64_t num_attention_heads = 8;
  int64_t max_position_embeddings = 77;
  std::string hidden_act = "quick_gelu";
  double layer_norm_eps = 1e-5;
  double attention_dropout = 0;
  double initializer_range = 0.02;
  double initializer_factor = 1;
  std::optional<int64_t> pad_token_id = 1;
  std::optional<int64_t> bos_token_id = 49406;
  int64_t eos_token_id = 49407;

  static std::vector<Task> tasks();
  void transfer(ConfigFields& fields);
  std::vector<InputOptions> inputs() const;
  std::vector<Symbol> build(const BuildArguments& arguments) const;
};

// Features: last_hidden_state [batch, 1 + patches, hidden_size] and pooler_output [batch,
// hidden_size]. The model with a projection gives image_embeds [batch, projection_dim], and
// last_hidden_state.
struct CLIPVisionConfig {
  static constexpr const char* model_type = "clip_vision_model";
  static constexpr const char* class_prefix = "CLIPVision";
  static constexpr const char* body_name = "vision_model";
  static constexpr bool interpolates_positions = true;

  int64_t hidden_size = 768;
  int64_t intermediate_size = 3072;
  int64_t projection_dim = 512;
  int64_t num_hidden_layers = 12;
  int64_t num_attention_heads = 12;
  int64_t num_channels = 3;
  Size2 image_size = 224;
  Size2 patch_size = 32;
  std::string hidden_act = "quick_gelu";
  double layer_norm_eps = 1e-5;
  double attention_dropout = 0;
  double initializer_range = 0.02;
  double initializer_factor = 1;

  static std::vector<Task> tasks();
  void transfer(ConfigFields& fields);
  std::vector<InputOptions> inputs() const;
  std::vector<Symbol> build(const BuildArguments& arguments) const;
};

struct CLIPConfig {
  static constexpr const char* model_type = "clip";
  static constexpr const char* class_prefix = "CLIP";
  static constexpr const char* body_name = "clip";
  static constexpr bool interpolates_positions = true;

  CLIPTextConfig text_config = {};
  CLIPVisionConfig vision_config = {};
  int64_t projection_dim = 512;
  double logit_scale_init_value = 2.6592;
  double initializer_factor = 1;

  static std::vector<Task> tasks();
  static std::vector<std::string> body_layers(Task task);
  void transfer(ConfigFields& fields);
  std::vector<InputOptions> inputs(Task task) const;
  int64_t max_tokens() const { return text_config.max_position_embeddings; }
  std::vector<Symbol> build(const BuildArguments& arguments) const;
  std::unique_ptr<Architecture> part(const std::string& type) const;
};

}  // namespace systolic::inline v0
