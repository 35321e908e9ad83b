#include "systolic/transformers/mpnet/mpnet_config.h"

#include "systolic/transformers/architecture/encoder_fields.h"
#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/layers/heads.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {
namespace {

// Positions are counted past it, whatever the token that pads.
constexpr int64_t position_of_padding = 1;
constexpr int64_t distance_buckets = 32;

EncoderBody mpnet_body(const MPNetConfig& config, const Layer& words, bool pools) {
  return {.sizes = encoder_sizes(config),
          .names = {.query = "attention.attn.q",
                    .key = "attention.attn.k",
                    .value = "attention.attn.v",
                    .attention_output = "attention.attn.o",
                    .attention_norm = "attention.LayerNorm"},
          .words = words,
          .embedding_size = config.hidden_size,
          .positions = config.max_position_embeddings,
          .embedding_dropout = config.hidden_dropout_prob,
          .padding_position = position_of_padding,
          .relative = RelativeBuckets{.count = distance_buckets},
          .layers = numbered_layers("encoder.layer.", config.num_hidden_layers),
          .pooler = pools ? "pooler.dense" : "",
          .name = MPNetConfig::body_name};
}

}  // namespace

std::vector<Task> MPNetConfig::tasks() {
  return {Task::features, Task::sequence_classification, Task::token_classification,
          Task::question_answering, Task::masked_lm};
}

WeightNames MPNetConfig::weight_names() {
  return {.ignored = {"embeddings.position_ids"},
          .copies = {{"lm_head.decoder.weight", "mpnet.embeddings.word_embeddings.weight"},
                     {"lm_head.decoder.bias", "lm_head.bias"}}};
}

void MPNetConfig::transfer(ConfigFields& fields) {
  fields.integer("vocab_size", vocab_size, 1, limits::vocabulary);
  encoder_fields(fields, *this);
  fields.integer("max_position_embeddings", max_position_embeddings, 3, limits::positions);
  fields.only("relative_attention_num_buckets", distance_buckets);
  fields.integer("pad_token_id", pad_token_id, 0, limits::vocabulary);
}

std::vector<InputOptions> MPNetConfig::inputs() const {
  return text_inputs(vocab_size, 0, pad_token_id);
}

std::vector<Symbol> MPNetConfig::build(const BuildArguments& arguments) const {
  const Layer words =
      word_embeddings(vocab_size, hidden_size, initializer_range, position_of_padding);
  const bool pools = arguments.task == Task::features && arguments.add_pooling_layer;
  const Layer body = mpnet_body(*this, words, pools);
  const std::vector<Symbol> features = arguments.features(body);
  HeadOptions head{.labels = arguments.labels.count(),
                   .initializer_range = initializer_range,
                   .dropout = hidden_dropout_prob};
  switch (arguments.task) {
    case Task::sequence_classification:
      return deep_classifier_head(features[0][{all, 0}], hidden_size, "tanh", head);
    case Task::token_classification:
      return classifier_head(features[0], head);
    case Task::question_answering:
      head.dropout = 0;
      return span_head(features[0], head);
    case Task::masked_lm: {
      LanguageModelHead lm_head = encoder_lm_head(*this, arguments, words);
      lm_head.activation = "gelu";
      lm_head.names = {.scores = "lm_head",
                       .own_scores = "decoder",
                       .dense = "lm_head.dense",
                       .norm = "lm_head.layer_norm"};
      return language_model_head(features[0], lm_head);
    }
    default:
      return named_features(features);
  }
}

}  // namespace systolic::inline v0
