#include "systolic/transformers/swin/swin_config.h"

#include "systolic/base/text.h"
#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/layers/heads.h"
#include "systolic/transformers/layers/layers.h"
#include "systolic/transformers/layers/picture_inputs.h"
#include "systolic/transformers/layers/stages.h"
#include "systolic/transformers/swin/swin_body.h"

namespace systolic::inline v0 {
namespace {

constexpr size_t most_stages = 16;  // each doubles the width

void check_heads_of_stages(ConfigFields& fields, const SwinConfig& config) {
  if (!fields.reads()) return;
  const size_t stages = config.depths.size();
  if (stages > most_stages)
    fields.fail("depths", str(stages, " stages"), str("at most ", most_stages));
  if (config.num_heads.size() != stages)
    fields.fail("num_heads", str(config.num_heads.size(), " numbers"),
                str(stages, ", as many as depths"));
  int64_t width = config.embed_dim;
  for (size_t stage = 0; stage < stages; ++stage, width *= 2) {
    if (width > limits::width)
      fields.fail("embed_dim", str(width, " in stage ", stage), str("at most ", limits::width));
    if (width % config.num_heads[stage] != 0)
      fields.fail("num_heads", str(config.num_heads[stage], " in stage ", stage),
                  str("a divisor of its width, ", width));
  }
}

}  // namespace

std::vector<Task> SwinConfig::tasks() { return {Task::features, Task::image_classification}; }

WeightNames SwinConfig::weight_names() {
  // As the modules of transformers 5 are called; its files keep the names of version 4.
  return {.older = {{".attention.q_proj.", ".attention.self.query."},
                    {".attention.k_proj.", ".attention.self.key."},
                    {".attention.v_proj.", ".attention.self.value."},
                    {".attention.relative_position_bias.", ".attention.self."},
                    {".attention.o_proj.", ".attention.output.dense."},
                    {".mlp.fc1.", ".intermediate.dense."},
                    {".mlp.fc2.", ".output.dense."}},
          .ignored = {"relative_position_index"}};
}

void SwinConfig::transfer(ConfigFields& fields) {
  constexpr double widest = 64;
  fields.size("image_size", image_size, 1, limits::picture);
  fields.size("patch_size", patch_size, 1, limits::picture);
  fields.integer("num_channels", num_channels, 1, limits::channels);
  fields.integer("embed_dim", embed_dim, 1, limits::width);
  fields.integers("depths", depths, 1, limits::layers);
  fields.integers("num_heads", num_heads, 1, limits::width);
  fields.integer("window_size", window_size, 1, 1 << 6);
  fields.number("mlp_ratio", mlp_ratio, 0.1, widest);
  fields.boolean("qkv_bias", qkv_bias);
  fields.number("hidden_dropout_prob", hidden_dropout_prob, 0, 1);
  fields.number("attention_probs_dropout_prob", attention_probs_dropout_prob, 0, 1);
  fields.number("drop_path_rate", drop_path_rate, 0, 1);
  fields.choice("hidden_act", hidden_act, hidden_activations());
  fields.boolean("use_absolute_embeddings", use_absolute_embeddings);
  fields.number("initializer_range", initializer_range, 0, 1);
  fields.number("layer_norm_eps", layer_norm_eps, 0, 1);
  check_patches(fields, patch_size, image_size);
  check_heads_of_stages(fields, *this);
}

std::vector<InputOptions> SwinConfig::inputs() const {
  if (use_absolute_embeddings) return {pictures_of_size(image_size, num_channels)};
  return {pictures_of_any_size(num_channels)};
}

std::vector<Symbol> SwinConfig::build(const BuildArguments& arguments) const {
  const bool classifies = arguments.task == Task::image_classification;
  const Layer body = SwinBody{.config = *this,
                              .pools = classifies || arguments.add_pooling_layer,
                              .interpolates = arguments.interpolate_pos_encoding,
                              .name = body_name};
  refuse_attentions(arguments.asked.get(), model_type);
  const std::vector<Symbol> features = arguments.features(body);
  if (!classifies) return named_features(features);
  return classifier_head(
      features[1], {.labels = arguments.labels.count(), .initializer_range = initializer_range});
}

}  // namespace systolic::inline v0
