#include "systolic/transformers/clip/clip_config.h"

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

constexpr double most_factor = 1e3;

RandomNormal normal(double deviation) { return {.stddev = deviation}; }

// The deviations of transformers' CLIPPreTrainedModel.
template <class Config>
TowerInitializers initializers(const Config& config) {
  const double width = 1 / std::sqrt(static_cast<double>(config.hidden_size));
  const double depth =
      1 / std::sqrt(2 * std::max(1.0, static_cast<double>(config.num_hidden_layers)));
  const double factor = config.initializer_factor;
  constexpr double of_tables = 0.02;
  return {.projections = normal(width * depth * factor),
          .attention_output = normal(width * factor),
          .inner = normal(width / std::sqrt(2.0) * factor),
          .output = normal(width * depth * factor),
          .words = normal(of_tables * factor),
          .positions = normal(config.initializer_range * factor),
          .patches = normal(config.initializer_range * factor),
          .special = normal(width * factor)};
}

Layer text_body(const CLIPTextConfig& config) {
  return TextTower{.sizes = tower_sizes(config, initializers(config)),
                   .vocabulary = config.vocab_size,
                   .positions = config.max_position_embeddings,
                   .causal = true,
                   .eos_token_id = config.eos_token_id,
                   .name = CLIPTextConfig::body_name};
}

Layer vision_body(const CLIPVisionConfig& config, bool interpolates) {
  return PictureTower{.sizes = tower_sizes(config, initializers(config)),
                      .image_size = config.image_size,
                      .patch_size = config.patch_size,
                      .interpolates = interpolates,
                      .has_special_token = true,
                      .name = CLIPVisionConfig::body_name};
}

template <class Config>
Symbol projected(const Config& config, int64_t size, const Symbol& x, const char* name) {
  const double deviation =
      config.initializer_factor / std::sqrt(static_cast<double>(config.hidden_size));
  return tower_dense(size, normal(deviation), name, "linear", false)(x);
}

constexpr const char *text_projection = "text_projection", *visual_projection = "visual_projection";

}  // namespace

std::vector<Task> CLIPTextConfig::tasks() { return {Task::features, Task::projection}; }

void CLIPTextConfig::transfer(ConfigFields& fields) {
  fields.integer("vocab_size", vocab_size, 1, limits::vocabulary);
  transfer_tower_fields(fields, *this);
  fields.integer("projection_dim", projection_dim, 1, limits::width);
  fields.integer("max_position_embeddings", max_position_embeddings, 1, limits::positions);
  fields.number("initializer_range", initializer_range, 0, 1);
  fields.number("initializer_factor", initializer_factor, 0, most_factor);
  fields.integer("pad_token_id", pad_token_id, 0, limits::vocabulary);
  fields.integer("bos_token_id", bos_token_id, 0, limits::vocabulary);
  fields.integer("eos_token_id", eos_token_id, 0, limits::vocabulary);
}

std::vector<InputOptions> CLIPTextConfig::inputs() const { return text_inputs(vocab_size, 0, {}); }

std::vector<Symbol> CLIPTextConfig::build(const BuildArguments& arguments) const {
  const std::vector<Symbol> features = arguments.features(text_body(*this));
  if (arguments.task == Task::features) return named_features(features);
  return {
      named_output(projected(*this, projection_dim, features[1], text_projection), "text_embeds"),
      named_output(features[0], "last_hidden_state")};
}

std::vector<Task> CLIPVisionConfig::tasks() { return {Task::features, Task::projection}; }

void CLIPVisionConfig::transfer(ConfigFields& fields) {
  transfer_tower_fields(fields, *this);
  transfer_picture_fields(fields, *this);
  fields.integer("projection_dim", projection_dim, 1, limits::width);
  fields.number("initializer_range", initializer_range, 0, 1);
  fields.number("initializer_factor", initializer_factor, 0, most_factor);
}

std::vector<InputOptions> CLIPVisionConfig::inputs() const {
  return {pictures_of_size(image_size, num_channels)};
}

std::vector<Symbol> CLIPVisionConfig::build(const BuildArguments& arguments) const {
  const Layer body = vision_body(*this, arguments.interpolate_pos_encoding);
  const std::vector<Symbol> features = arguments.features(body);
  if (arguments.task == Task::features) return named_features(features);
  return {named_output(projected(*this, projection_dim, features[1], visual_projection),
                       "image_embeds"),
          named_output(features[0], "last_hidden_state")};
}

std::vector<Task> CLIPConfig::tasks() { return {Task::features, Task::image_classification}; }

std::vector<std::string> CLIPConfig::body_layers(Task task) {
  if (task == Task::image_classification) return {CLIPVisionConfig::body_name};
  return {CLIPTextConfig::body_name, CLIPVisionConfig::body_name};
}

void CLIPConfig::transfer(ConfigFields& fields) {
  transfer_halves(fields, text_config, vision_config);
  fields.integer("projection_dim", projection_dim, 1, limits::width);
  fields.number("logit_scale_init_value", logit_scale_init_value, -1e3, 1e3);
  fields.number("initializer_factor", initializer_factor, 0, most_factor);
}

std::vector<InputOptions> CLIPConfig::inputs(Task task) const {
  return inputs_of_halves(task, text_config.inputs(), vision_config.inputs());
}

std::vector<Symbol> CLIPConfig::build(const BuildArguments& arguments) const {
  const std::vector<Symbol>& inputs = arguments.inputs;
  const Layer vision = vision_body(vision_config, arguments.interpolate_pos_encoding);
  if (arguments.task == Task::image_classification) {
    const Symbol tokens = arguments.features(vision)[0];
    const Symbol patches = GlobalAveragePooling1D{}(tokens[{all, Slice{.begin = 1}}]);
    const double width = static_cast<double>(vision_config.hidden_size);
    return classifier_head(patches, {.labels = arguments.labels.count(),
                                     .initializer_range = initializer_factor / std::sqrt(width)});
  }
  const Symbol text = text_body(text_config).outputs({inputs[0], inputs[1]})[1];
  const Symbol picture = vision.outputs({inputs[2]})[1];
  return contrast_outputs(projected(text_config, projection_dim, text, text_projection),
                          projected(vision_config, projection_dim, picture, visual_projection),
                          {.scale = logit_scale_init_value});
}

std::unique_ptr<Architecture> CLIPConfig::part(const std::string& type) const {
  return part_of_halves(type, text_config, vision_config);
}

}  // namespace systolic::inline v0
