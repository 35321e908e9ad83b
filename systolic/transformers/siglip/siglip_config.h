// SigLIP (Zhai et al. 2023, arXiv 2303.15343): the fields and defaults of transformers'
// SiglipTextConfig, SiglipVisionConfig and SiglipConfig, which holds both.
//
// Inputs: input_ids and attention_mask (1 where it is left out, as in its training, whose texts
// are padded to 64 tokens), [batch, tokens]; pixel_values f32 [batch, height, width, channels], as
// an ImageProcessor makes them, of image_size, or of any with
// PretrainedOptions::interpolate_pos_encoding.
//
//   auto see = SiglipVisionModel::from_pretrained("siglip-base-patch16-224/");
//   see.predict_outputs(pixels)["pooler_output"]            // [batch, hidden_size]
//
// The classes of one half take its part of a folder that has both. SiglipModel compares each text
// with each picture of a batch, as many of both, and gives logits_per_image, logits_per_text
// [batch, batch], text_embeds and image_embeds [batch, hidden_size]: predict with a batch_size that
// holds all rows. The loss of pairs has no class here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "systolic/nn/config/size2.h"
#include "systolic/transformers/architecture/architecture.h"

namespace systolic::inline v0 {

// Features: last_hidden_state [batch, tokens, hidden_size] and pooler_output [batch,
// projection_size], of the last token, which may be one that pads.
struct SiglipTextConfig {
  static constexpr const char* model_type = "siglip_text_model";
  static constexpr const char* class_prefix = "SiglipText";
  static constexpr const char* body_name = "text_model";

  int64_t vocab_size = 32000;
  int64_t hidden_size = 768;
  int64_t intermediate_size = 3072;
  int64_t num_hidden_layers = 12;
  int64_t num_attention_heads = 12;
  int64_t max_position_embeddings = 64;
  std::string hidden_act = "gelu_pytorch_tanh";
  double layer_norm_eps = 1e-6;
  double attention_dropout = 0;
  std::optional<int64_t> pad_token_id = 1;
  std::optional<int64_t> bos_token_id = 49406;
  std::optional<int64_t> eos_token_id = 49407;
  std::optional<int64_t> projection_size = {};  // hidden_size

  static std::vector<Task> tasks();
  void transfer(ConfigFields& fields);
  std::vector<InputOptions> inputs() const;
  std::vector<Symbol> build(const BuildArguments& arguments) const;
};

// Features: last_hidden_state [batch, patches, hidden_size] and, where vision_use_head is true,
// pooler_output [batch, hidden_size].
struct SiglipVisionConfig {
  static constexpr const char* model_type = "siglip_vision_model";
  static constexpr const char* class_prefix = "SiglipVision";
  static constexpr const char* body_name = "vision_model";
  static constexpr bool interpolates_positions = true;

  int64_t hidden_size = 768;
  int64_t intermediate_size = 3072;
  int64_t num_hidden_layers = 12;
  int64_t num_attention_heads = 12;
  int64_t num_channels = 3;
  Size2 image_size = 224;
  Size2 patch_size = 16;
  std::string hidden_act = "gelu_pytorch_tanh";
  double layer_norm_eps = 1e-6;
  double attention_dropout = 0;
  bool vision_use_head = true;

  static std::vector<Task> tasks();
  void transfer(ConfigFields& fields);
  std::vector<InputOptions> inputs() const;
  std::vector<Symbol> build(const BuildArguments& arguments) const;
};

struct SiglipConfig {
  static constexpr const char* model_type = "siglip";
  static constexpr const char* class_prefix = "Siglip";
  static constexpr const char* body_name = "siglip";
  static constexpr bool interpolates_positions = true;

  SiglipTextConfig text_config = {};
  SiglipVisionConfig vision_config = {};
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
