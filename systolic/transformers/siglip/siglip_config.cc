#include "systolic/transformers/siglip/siglip_config.h"

#include <cmath>

#include "systolic/base/text.h"
#include "systolic/nn/initializers/random_normal.h"
#include "systolic/nn/layers/pooling/global_pooling.h"
#include "systolic/transformers/clip/contrast.h"
#include "systolic/transformers/clip/picture_tower.h"
#include "systolic/transformers/clip/text_tower.h"
#include "systolic/transformers/clip/tower_fields.h"
#include "systolic/transformers/layers/heads.h"
#include "systolic/transformers/layers/layers.h"
#include "systolic/transformers/layers/picture_inputs.h"

namespace systolic::inline v0 {
namespace {

template <class Config>
TowerInitializers siglip_initializers(const Config& config) {
  const double width = 1 / std::sqrt(static_cast<double>(config.hidden_size));
  return {.words = RandomNormal{.stddev = width}, .positions = RandomNormal{.stddev = width}};
}

Layer siglip_text_body(const SiglipTextConfig& config) {
  return TextTower{.sizes = tower_sizes(config, siglip_initializers(config)),
                   .vocabulary = config.vocab_size,
                   .positions = config.max_position_embeddings,
                   .head_size = config.projection_size.value_or(config.hidden_size),
                   .name = SiglipTextConfig::body_name};
}

Layer siglip_vision_body(const SiglipVisionConfig& config, bool interpolates) {
  return PictureTower{.sizes = tower_sizes(config, siglip_initializers(config)),
                      .image_size = config.image_size,
                      .patch_size = config.patch_size,
                      .interpolates = interpolates,
                      .has_head = config.vision_use_head,
                      .name = SiglipVisionConfig::body_name};
}

}  // namespace

std::vector<Task> SiglipTextConfig::tasks() { return {Task::features}; }

void SiglipTextConfig::transfer(ConfigFields& fields) {
  fields.integer("vocab_size", vocab_size, 1, limits::vocabulary);
  transfer_tower_fields(fields, *this);
  fields.integer("max_position_embeddings", max_position_embeddings, 1, limits::positions);
  fields.integer("pad_token_id", pad_token_id, 0, limits::vocabulary);
  fields.integer("bos_token_id", bos_token_id, 0, limits::vocabulary);
  fields.integer("eos_token_id", eos_token_id, 0, limits::vocabulary);
  fields.integer("projection_size", projection_size, 1, limits::width);
}

std::vector<InputOptions> SiglipTextConfig::inputs() const {
  return text_inputs(vocab_size, 0, {});
}

std::vector<Symbol> SiglipTextConfig::build(const BuildArguments& arguments) const {
  return named_features(arguments.features(siglip_text_body(*this)));
}

std::vector<Task> SiglipVisionConfig::tasks() { return {Task::features}; }

void SiglipVisionConfig::transfer(ConfigFields& fields) {
  transfer_tower_fields(fields, *this);
  transfer_picture_fields(fields, *this);
  fields.boolean("vision_use_head", vision_use_head);
}

std::vector<InputOptions> SiglipVisionConfig::inputs() const {
  return {pictures_of_size(image_size, num_channels)};
}

std::vector<Symbol> SiglipVisionConfig::build(const BuildArguments& arguments) const {
  const Layer body = siglip_vision_body(*this, arguments.interpolate_pos_encoding);
  return named_features(arguments.features(body));
}

std::vector<Task> SiglipConfig::tasks() { return {Task::features, Task::image_classification}; }

std::vector<std::string> SiglipConfig::body_layers(Task task) {
  if (task == Task::image_classification) return {SiglipVisionConfig::body_name};
  return {SiglipTextConfig::body_name, SiglipVisionConfig::body_name};
}

void SiglipConfig::transfer(ConfigFields& fields) {
  transfer_halves(fields, text_config, vision_config);
  fields.number("initializer_factor", initializer_factor, 0, 1e3);
  const int64_t text = text_config.projection_size.value_or(text_config.hidden_size);
  if (fields.reads() && text != vision_config.hidden_size)
    fields.fail("text_config", str("texts of ", text, " numbers"),
                str(vision_config.hidden_size,
                    ", as pictures have them: hidden_size of "
                    "vision_config"));
  if (fields.reads() && !vision_config.vision_use_head)
    fields.fail("vision_config", "vision_use_head = false",
                "true: without a head pictures have no vector to compare");
}

std::vector<InputOptions> SiglipConfig::inputs(Task task) const {
  return inputs_of_halves(task, text_config.inputs(), vision_config.inputs());
}

std::vector<Symbol> SiglipConfig::build(const BuildArguments& arguments) const {
  const std::vector<Symbol>& inputs = arguments.inputs;
  const Layer vision = siglip_vision_body(vision_config, arguments.interpolate_pos_encoding);
  if (arguments.task == Task::image_classification) {
    const double width = static_cast<double>(vision_config.hidden_size);
    return classifier_head(GlobalAveragePooling1D{}(arguments.features(vision)[0]),
                           {.labels = arguments.labels.count(),
                            .initializer_range = initializer_factor / std::sqrt(width)});
  }
  const Symbol text = siglip_text_body(text_config).outputs({inputs[0], inputs[1]})[1];
  return contrast_outputs(text, vision.outputs({inputs[2]})[1], {.has_bias = true});
}

std::unique_ptr<Architecture> SiglipConfig::part(const std::string& type) const {
  return part_of_halves(type, text_config, vision_config);
}

}  // namespace systolic::inline v0
