#include "systolic/transformers/convnext/convnext_config.h"

#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/convnext/convnext_body.h"
#include "systolic/transformers/layers/heads.h"
#include "systolic/transformers/layers/layers.h"
#include "systolic/transformers/layers/picture_inputs.h"
#include "systolic/transformers/layers/stages.h"

namespace systolic::inline v0 {

std::vector<Task> ConvNextConfig::tasks() { return {Task::features, Task::image_classification}; }

void ConvNextConfig::transfer(ConfigFields& fields) {
  fields.integer("num_channels", num_channels, 1, limits::channels);
  fields.size("patch_size", patch_size, 1, limits::picture);
  fields.integer("num_stages", num_stages, 1, limits::layers);
  fields.integers("hidden_sizes", hidden_sizes, 1, limits::width);
  fields.integers("depths", depths, 1, limits::layers);
  fields.choice("hidden_act", hidden_act, hidden_activations());
  fields.number("initializer_range", initializer_range, 0, 1);
  fields.number("layer_norm_eps", layer_norm_eps, 0, 1);
  fields.number("layer_scale_init_value", layer_scale_init_value, 0, 1e6);
  fields.number("drop_path_rate", drop_path_rate, 0, 1);
  fields.size("image_size", image_size, 1, limits::picture);
  check_stages(fields, depths, hidden_sizes);
  if (fields.reads() && num_stages != static_cast<int64_t>(depths.size()))
    fields.fail("num_stages", str(num_stages), str(depths.size(), ", as depths has it"));
}

std::vector<InputOptions> ConvNextConfig::inputs() const {
  return {pictures_of_any_size(num_channels)};
}

std::vector<Symbol> ConvNextConfig::build(const BuildArguments& arguments) const {
  const Layer body = ConvNextBody{.config = *this, .name = body_name};
  refuse_attentions(arguments.asked.get(), model_type);
  const std::vector<Symbol> features = arguments.features(body);
  if (arguments.task == Task::features) return named_features(features);
  return classifier_head(
      features[1], {.labels = arguments.labels.count(), .initializer_range = initializer_range});
}

}  // namespace systolic::inline v0
