#include "systolic/transformers/vit/vit_config.h"

#include "systolic/base/text.h"
#include "systolic/transformers/architecture/encoder_fields.h"
#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/layers/heads.h"
#include "systolic/transformers/layers/layers.h"
#include "systolic/transformers/layers/picture_inputs.h"
#include "systolic/transformers/vit/vit_body.h"

namespace systolic::inline v0 {
namespace {

template <class Kind>
ViTBody body_of(const ViTConfigOf<Kind>& config, bool pools, bool interpolates) {
  return {.sizes = {.image_size = config.image_size,
                    .patch_size = config.patch_size,
                    .hidden_size = config.hidden_size,
                    .heads = config.num_attention_heads,
                    .intermediate_size = config.intermediate_size,
                    .activation = config.hidden_act,
                    .layer_norm_epsilon = config.layer_norm_eps,
                    .initializer_range = config.initializer_range,
                    .dropout = config.hidden_dropout_prob,
                    .attention_dropout = config.attention_probs_dropout_prob,
                    .projection_bias = config.qkv_bias,
                    .distills = Kind::distills,
                    .interpolates = interpolates},
          .layers = config.num_hidden_layers,
          .pooler_size = pools ? config.pooler_output_size.value_or(config.hidden_size) : 0,
          .pooler_activation = config.pooler_act,
          .name = ViTConfigOf<Kind>::body_name};
}

// A class by what the class token says, and by what the distillation token says: their mean, and
// each.
std::vector<Symbol> teacher_heads(const Symbol& x, HeadOptions options) {
  const auto scores = [&](int64_t token, const char* name) {
    return Layer(linear(options.labels, options.initializer_range, name))(x[{all, token}]);
  };
  const Symbol by_class = scores(0, "cls_classifier");
  const Symbol by_teacher = scores(1, "distillation_classifier");
  return {named_scores((by_class + by_teacher) / 2, "logits"), named_scores(by_class, "cls_logits"),
          named_scores(by_teacher, "distillation_logits")};
}

}  // namespace

template <class Kind>
std::vector<Task> ViTConfigOf<Kind>::tasks() {
  std::vector<Task> tasks{Task::features, Task::image_classification};
  if (Kind::distills) tasks.push_back(Task::image_classification_with_teacher);
  return tasks;
}

template <class Kind>
WeightNames ViTConfigOf<Kind>::weight_names() {
  // As the modules of transformers 5 are called; its files keep the names of version 4.
  return {.older = {{"layers.", "encoder.layer."},
                    {".attention.q_proj.", ".attention.attention.query."},
                    {".attention.k_proj.", ".attention.attention.key."},
                    {".attention.v_proj.", ".attention.attention.value."},
                    {".attention.o_proj.", ".attention.output.dense."},
                    {".mlp.fc1.", ".intermediate.dense."},
                    {".mlp.fc2.", ".output.dense."}}};
}

template <class Kind>
void ViTConfigOf<Kind>::transfer(ConfigFields& fields) {
  encoder_fields(fields, *this);
  fields.size("image_size", image_size, 1, limits::picture);
  fields.size("patch_size", patch_size, 1, limits::picture);
  fields.integer("num_channels", num_channels, 1, limits::channels);
  fields.boolean("qkv_bias", qkv_bias);
  fields.integer("pooler_output_size", pooler_output_size, 1, limits::width);
  fields.choice("pooler_act", pooler_act, hidden_activations());
  check_patches(fields, patch_size, image_size);
}

template <class Kind>
std::vector<InputOptions> ViTConfigOf<Kind>::inputs() const {
  return {pictures_of_size(image_size, num_channels)};
}

template <class Kind>
std::vector<Symbol> ViTConfigOf<Kind>::build(const BuildArguments& arguments) const {
  const bool pools = arguments.task == Task::features && arguments.add_pooling_layer;
  const Layer body = body_of(*this, pools, arguments.interpolate_pos_encoding);
  const std::vector<Symbol> features = arguments.features(body);
  const HeadOptions head{.labels = arguments.labels.count(),
                         .initializer_range = initializer_range};
  switch (arguments.task) {
    case Task::image_classification:
      return classifier_head(features[0][{all, 0}], head);
    case Task::image_classification_with_teacher:
      return teacher_heads(features[0], head);
    default:
      return named_features(features);
  }
}

template struct ViTConfigOf<ViTKind>;
template struct ViTConfigOf<DeiTKind>;

}  // namespace systolic::inline v0
