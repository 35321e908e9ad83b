#include "systolic/transformers/dinov2/dinov2_config.h"

#include "systolic/nn/layers/merging/concatenate.h"
#include "systolic/nn/layers/pooling/global_pooling.h"
#include "systolic/transformers/architecture/encoder_fields.h"
#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/dinov2/dinov2_body.h"
#include "systolic/transformers/layers/heads.h"
#include "systolic/transformers/layers/layers.h"
#include "systolic/transformers/layers/picture_inputs.h"

namespace systolic::inline v0 {

std::vector<Task> Dinov2Config::tasks() { return {Task::features, Task::image_classification}; }

WeightNames Dinov2Config::weight_names() {
  // As the modules of transformers 5 are called; its files keep the names of version 4.
  return {.older = {{".attention.q_proj.", ".attention.attention.query."},
                    {".attention.k_proj.", ".attention.attention.key."},
                    {".attention.v_proj.", ".attention.attention.value."},
                    {".attention.o_proj.", ".attention.output.dense."}},
          .may_lack = {"embeddings.mask_token"}};
}

void Dinov2Config::transfer(ConfigFields& fields) {
  constexpr int64_t widest = 64;
  encoder_fields(fields, *this);
  fields.integer("mlp_ratio", mlp_ratio, 1, widest);
  fields.size("image_size", image_size, 1, limits::picture);
  fields.size("patch_size", patch_size, 1, limits::picture);
  fields.integer("num_channels", num_channels, 1, limits::channels);
  fields.boolean("qkv_bias", qkv_bias);
  fields.number("layerscale_value", layerscale_value, -1e6, 1e6);
  fields.number("drop_path_rate", drop_path_rate, 0, 1);
  fields.boolean("use_swiglu_ffn", use_swiglu_ffn);
  fields.boolean("use_mask_token", use_mask_token);
  check_patches(fields, patch_size, image_size);
}

std::vector<InputOptions> Dinov2Config::inputs() const {
  return {pictures_of_any_size(num_channels)};
}

std::vector<Symbol> Dinov2Config::build(const BuildArguments& arguments) const {
  const Layer body = Dinov2Body{.config = *this, .name = body_name};
  const Symbol tokens = arguments.features(body)[0];
  const Symbol picture = tokens[{all, 0}];
  if (arguments.task == Task::features) return named_features({tokens, picture});
  const Symbol patches = GlobalAveragePooling1D{}(tokens[{all, Slice{.begin = 1}}]);
  const Symbol both = Concatenate{}({picture, patches});
  return classifier_head(
      both, {.labels = arguments.labels.count(), .initializer_range = initializer_range});
}

}  // namespace systolic::inline v0
