#include "systolic/transformers/albert/albert_config.h"

#include "systolic/base/text.h"
#include "systolic/transformers/architecture/encoder_fields.h"
#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/layers/heads.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {
namespace {

constexpr EncoderLayerNames layer_names{.query = "attention.query",
                                        .key = "attention.key",
                                        .value = "attention.value",
                                        .attention_output = "attention.dense",
                                        .attention_norm = "attention.LayerNorm",
                                        .inner = "ffn",
                                        .output = "ffn_output",
                                        .output_norm = "full_layer_layer_norm"};

// The layer of its group that each step uses.
std::vector<std::string> shared_layers(const AlbertConfig& config) {
  std::vector<std::string> names;
  for (int64_t i = 0; i < config.num_hidden_layers; ++i) {
    const int64_t group = i * config.num_hidden_groups / config.num_hidden_layers;
    for (int64_t j = 0; j < config.inner_group_num; ++j) {
      names.push_back(str("encoder.albert_layer_groups.", group, ".albert_layers.", j));
    }
  }
  return names;
}

EncoderSizes sizes_of(const AlbertConfig& config) {
  EncoderSizes sizes = encoder_sizes(config);
  sizes.output_dropout = 0;  // the dense network's output is not dropped here
  return sizes;
}

EncoderBody body_of(const AlbertConfig& config, const Layer& words, bool pools) {
  return {.sizes = sizes_of(config),
          .names = layer_names,
          .words = words,
          .embedding_size = config.embedding_size,
          .positions = config.max_position_embeddings,
          .types = config.type_vocab_size,
          .embedding_dropout = config.hidden_dropout_prob,
          .projection = "encoder.embedding_hidden_mapping_in",
          .layers = shared_layers(config),
          .pooler = pools ? "pooler" : "",
          .name = AlbertConfig::body_name};
}

}  // namespace

std::vector<Task> AlbertConfig::tasks() {
  return {Task::features, Task::sequence_classification, Task::token_classification,
          Task::question_answering, Task::masked_lm};
}

WeightNames AlbertConfig::weight_names() {
  return {.ignored = {"embeddings.position_ids", "sop_classifier."},
          .copies = {{"predictions.decoder.weight", "albert.embeddings.word_embeddings.weight"},
                     {"predictions.decoder.bias", "predictions.bias"}}};
}

void AlbertConfig::transfer(ConfigFields& fields) {
  transfer_encoder_fields(fields, *this);
  fields.integer("embedding_size", embedding_size, 1, limits::width);
  fields.integer("num_hidden_groups", num_hidden_groups, 1, limits::layers);
  fields.integer("inner_group_num", inner_group_num, 1, 16);
  fields.number("classifier_dropout_prob", classifier_dropout_prob, 0, 1);
  fields.integer("pad_token_id", pad_token_id, -1, limits::vocabulary);
}

std::vector<InputOptions> AlbertConfig::inputs() const {
  return text_inputs(vocab_size, type_vocab_size, pad_token_id);
}

std::vector<Symbol> AlbertConfig::build(const BuildArguments& arguments) const {
  const Layer words = word_embeddings(vocab_size, embedding_size, initializer_range, pad_token_id);
  const bool pools = arguments.task == Task::sequence_classification ||
                     (arguments.task == Task::features && arguments.add_pooling_layer);
  const Layer body = body_of(*this, words, pools);
  const std::vector<Symbol> features = arguments.features(body);
  HeadOptions head{.labels = arguments.labels.count(),
                   .initializer_range = initializer_range,
                   .dropout = classifier_dropout_prob};
  switch (arguments.task) {
    case Task::sequence_classification:
      return classifier_head(features[1], head);
    case Task::token_classification:
      return classifier_head(features[0], head);
    case Task::question_answering:
      head.dropout = 0;
      return span_head(features[0], head);
    case Task::masked_lm: {
      LanguageModelHead masked = encoder_lm_head(*this, arguments, words);
      masked.size = embedding_size;
      masked.names = {"predictions", "decoder", "predictions.dense", "predictions.LayerNorm"};
      return language_model_head(features[0], masked);
    }
    default:
      return named_features(features);
  }
}

}  // namespace systolic::inline v0
