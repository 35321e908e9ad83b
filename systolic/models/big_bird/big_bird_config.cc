#include "systolic/models/big_bird/big_bird_config.h"

#include <cmath>

#include "systolic/models/encoder_fields.h"
#include "systolic/models/heads.h"
#include "systolic/models/layers.h"
#include "systolic/models/limits.h"

namespace systolic::inline v0 {
namespace {

EncoderSizes sizes_of(const BigBirdConfig& config) {
  EncoderSizes sizes = encoder_sizes(config);
  sizes.projection_bias = config.use_bias;
  return sizes;
}

EncoderBody body_of(const BigBirdConfig& config, const Layer& words, bool pools) {
  const bool sparse = config.attention_type == "block_sparse";
  const double width = static_cast<double>(config.hidden_size);
  return {.sizes = sizes_of(config),
          .names = {},
          .words = words,
          .embedding_size = config.hidden_size,
          .positions = config.max_position_embeddings,
          .types = config.type_vocab_size,
          .embedding_dropout = config.hidden_dropout_prob,
          .layers = numbered_layers("encoder.layer.", config.num_hidden_layers),
          .pooler = pools ? "pooler" : "",
          .word_scale = config.rescale_embeddings ? std::sqrt(width) : 1,
          .drops_before_norm = true,
          .most_tokens = sparse ? (5 + 2 * config.num_random_blocks) * config.block_size : 0,
          .name = BigBirdConfig::body_name};
}

}  // namespace

std::vector<Task> BigBirdConfig::tasks() {
  return {Task::features, Task::sequence_classification, Task::token_classification,
          Task::masked_lm};
}

WeightNames BigBirdConfig::weight_names() {
  return {
      .ignored = {"embeddings.position_ids", "cls.predictions.decoder.", "cls.seq_relationship."}};
}

void BigBirdConfig::transfer(ConfigFields& fields) {
  transfer_encoder_fields(fields, *this);
  fields.integer("pad_token_id", pad_token_id, -1, limits::vocabulary);
  fields.choice("attention_type", attention_type, {"block_sparse", "original_full"});
  fields.boolean("use_bias", use_bias);
  fields.boolean("rescale_embeddings", rescale_embeddings);
  fields.integer("block_size", block_size, 1, limits::positions);
  fields.integer("num_random_blocks", num_random_blocks, 0, limits::layers);
  fields.number("classifier_dropout", classifier_dropout, 0, 1);
}

std::vector<InputOptions> BigBirdConfig::inputs() const {
  return text_inputs(vocab_size, type_vocab_size);
}

std::vector<Symbol> BigBirdConfig::build(const BuildArguments& arguments) const {
  const Layer words = word_embeddings(vocab_size, hidden_size, initializer_range);
  const bool pools = arguments.task == Task::features && arguments.add_pooling_layer;
  const Layer body = body_of(*this, words, pools);
  const std::vector<Symbol> features = body.outputs(arguments.inputs);
  const HeadOptions head{.labels = arguments.labels.count(),
                         .initializer_range = initializer_range,
                         .dropout = classifier_dropout.value_or(hidden_dropout_prob)};
  switch (arguments.task) {
    case Task::sequence_classification:
      return deep_classifier_head(features[0][{all, 0}], hidden_size, hidden_activation(hidden_act),
                                  head);
    case Task::token_classification:
      return classifier_head(features[0], head);
    case Task::masked_lm:
      return language_model_head(features[0], {.words = words,
                                               .tokens = vocab_size,
                                               .size = hidden_size,
                                               .activation = hidden_act,
                                               .epsilon = layer_norm_eps,
                                               .initializer_range = initializer_range,
                                               .dense = "cls.predictions.transform.dense",
                                               .norm = "cls.predictions.transform.LayerNorm",
                                               .projection = "cls.predictions"});
    default:
      return named_features(features);
  }
}

}  // namespace systolic::inline v0
