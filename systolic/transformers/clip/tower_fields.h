// The fields of a config.json that the halves of CLIP and SigLIP name alike. Internal to
// transformers.
#pragma once

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "systolic/transformers/architecture/architecture.h"
#include "systolic/transformers/clip/tower.h"
#include "systolic/transformers/config/config_fields.h"
#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/layers/layers.h"
#include "systolic/transformers/layers/picture_inputs.h"

namespace systolic::inline v0 {

template <class Config>
void transfer_tower_fields(ConfigFields& fields, Config& config) {
  fields.integer("hidden_size", config.hidden_size, 1, limits::width);
  fields.integer("intermediate_size", config.intermediate_size, 1, limits::width);
  fields.integer("num_hidden_layers", config.num_hidden_layers, 0, limits::layers);
  fields.integer("num_attention_heads", config.num_attention_heads, 1, limits::width);
  fields.choice("hidden_act", config.hidden_act, hidden_activations());
  fields.number("layer_norm_eps", config.layer_norm_eps, 0, 1);
  fields.number("attention_dropout", config.attention_dropout, 0, 1);
  fields.check_heads("hidden_size", config.hidden_size, "num_attention_heads",
                     config.num_attention_heads);
}

template <class Config>
void transfer_picture_fields(ConfigFields& fields, Config& config) {
  fields.integer("num_channels", config.num_channels, 1, limits::channels);
  fields.size("image_size", config.image_size, 1, limits::picture);
  fields.size("patch_size", config.patch_size, 1, limits::picture);
  check_patches(fields, config.patch_size, config.image_size);
}

template <class Config>
TowerSizes tower_sizes(const Config& config, TowerInitializers initializers) {
  return {.hidden_size = config.hidden_size,
          .layers = config.num_hidden_layers,
          .heads = config.num_attention_heads,
          .intermediate_size = config.intermediate_size,
          .activation = config.hidden_act,
          .layer_norm_epsilon = config.layer_norm_eps,
          .attention_dropout = config.attention_dropout,
          .initializers = std::move(initializers)};
}

// text_config and vision_config. Where an older file has text_config_dict or vision_config_dict,
// these say all of it, as in `transformers`; they are not written.
template <class Text, class Vision>
void transfer_halves(ConfigFields& fields, Text& text, Vision& vision) {
  const auto half = [&](const char* name, const char* older, auto& config) {
    const auto transfer = [&](ConfigFields& inside) {
      std::string type = config.model_type;
      inside.text("model_type", type);
      config.transfer(inside);
    };
    fields.part(name, transfer);
    if (!fields.reads()) return;
    const Config* before = fields.entries().find(older);
    if (before != nullptr && before->is_map()) config = {};
    fields.part(older, transfer);
  };
  half("text_config", "text_config_dict", text);
  half("vision_config", "vision_config_dict", vision);
}

// Texts first; a classifier sees pictures alone.
inline std::vector<InputOptions> inputs_of_halves(Task task, std::vector<InputOptions> texts,
                                                  std::vector<InputOptions> pictures) {
  if (task == Task::image_classification) return pictures;
  texts.insert(texts.end(), std::make_move_iterator(pictures.begin()),
               std::make_move_iterator(pictures.end()));
  return texts;
}

// The half of that model_type; null for another.
template <class Text, class Vision>
std::unique_ptr<Architecture> part_of_halves(const std::string& type, const Text& text,
                                             const Vision& vision) {
  if (type == Text::model_type) return std::make_unique<ArchitectureOf<Text>>(text);
  if (type == Vision::model_type) return std::make_unique<ArchitectureOf<Vision>>(vision);
  return nullptr;
}

}  // namespace systolic::inline v0
