#include "systolic/transformers/resnet/resnet_config.h"

#include <cmath>

#include "systolic/nn/initializers/random_uniform.h"
#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/layers/heads.h"
#include "systolic/transformers/layers/layers.h"
#include "systolic/transformers/layers/picture_inputs.h"
#include "systolic/transformers/layers/stages.h"
#include "systolic/transformers/resnet/resnet_body.h"

namespace systolic::inline v0 {

std::vector<Task> ResNetConfig::tasks() { return {Task::features, Task::image_classification}; }

WeightNames ResNetConfig::weight_names() { return {.counts_batches = true}; }

void ResNetConfig::transfer(ConfigFields& fields) {
  fields.integer("num_channels", num_channels, 1, limits::channels);
  fields.integer("embedding_size", embedding_size, 1, limits::width);
  fields.integers("hidden_sizes", hidden_sizes, 4, limits::width);
  fields.integers("depths", depths, 1, limits::layers);
  fields.choice("layer_type", layer_type, {"basic", "bottleneck"});
  fields.choice("hidden_act", hidden_act, hidden_activations());
  fields.boolean("downsample_in_first_stage", downsample_in_first_stage);
  fields.boolean("downsample_in_bottleneck", downsample_in_bottleneck);
  check_stages(fields, depths, hidden_sizes);
}

std::vector<InputOptions> ResNetConfig::inputs() const {
  return {pictures_of_any_size(num_channels)};
}

std::vector<Symbol> ResNetConfig::build(const BuildArguments& arguments) const {
  const Layer body = ResNetBody{.config = *this, .name = body_name};
  refuse_attentions(arguments.asked.get(), model_type);
  const std::vector<Symbol> features = arguments.features(body);
  if (arguments.task == Task::features) return named_features(features);
  // As a torch.nn.Linear starts.
  const double bound = 1 / std::sqrt(static_cast<double>(hidden_sizes.back()));
  const RandomUniform uniform{.minval = -bound, .maxval = bound};
  const Layer classifier = Dense{.units = arguments.labels.count(),
                                 .kernel_initializer = uniform,
                                 .bias_initializer = uniform,
                                 .name = "classifier.1"};
  return {named_scores(classifier(features[1][{all, 0, 0}]), "logits")};
}

}  // namespace systolic::inline v0
