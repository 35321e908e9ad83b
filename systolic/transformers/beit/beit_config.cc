#include "systolic/transformers/beit/beit_config.h"

#include "systolic/transformers/architecture/encoder_fields.h"
#include "systolic/transformers/beit/beit_body.h"
#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/layers/heads.h"
#include "systolic/transformers/layers/layers.h"
#include "systolic/transformers/layers/picture_inputs.h"

namespace systolic::inline v0 {
WeightNames BeitConfig::weight_names() {
  return {.ignored = {"relative_position_index"}, .may_lack = {"embeddings.mask_token"}};
}

void BeitConfig::transfer(ConfigFields& fields) {
  encoder_fields(fields, *this);
  fields.integer("image_size", image_size, 1, limits::picture);
  fields.integer("patch_size", patch_size, 1, limits::picture);
  fields.integer("num_channels", num_channels, 1, limits::channels);
  fields.boolean("use_mask_token", use_mask_token);
  fields.boolean("use_absolute_position_embeddings", use_absolute_position_embeddings);
  fields.boolean("use_relative_position_bias", use_relative_position_bias);
  fields.boolean("use_shared_relative_position_bias", use_shared_relative_position_bias);
  fields.number("layer_scale_init_value", layer_scale_init_value, 0, 1e3);
  fields.number("drop_path_rate", drop_path_rate, 0, 1);
  fields.boolean("use_mean_pooling", use_mean_pooling);
  check_patches(fields, patch_size, image_size);
  if (fields.reads() && image_size / patch_size > most_patches_across)
    fields.fail("image_size", str(image_size, ", ", image_size / patch_size, " patches across"),
                str("at most ", most_patches_across));
}

std::vector<InputOptions> BeitConfig::inputs() const {
  return {pictures_of_size(image_size, num_channels)};
}

std::vector<Symbol> BeitConfig::build(const BuildArguments& arguments) const {
  const bool classifies = arguments.task == Task::image_classification;
  const bool pools = classifies || arguments.add_pooling_layer;
  const Layer body = BeitBody{.config = *this, .pools = pools, .name = body_name};
  const std::vector<Symbol> features = arguments.features(body);
  if (!classifies) return named_features(features);
  return classifier_head(
      features[1], {.labels = arguments.labels.count(), .initializer_range = initializer_range});
}

}  // namespace systolic::inline v0
