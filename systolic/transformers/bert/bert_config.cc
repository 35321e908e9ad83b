#include "systolic/transformers/bert/bert_config.h"

#include "systolic/transformers/architecture/encoder_fields.h"
#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/layers/heads.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {

namespace {

EncoderBody body_of(const BertConfig& config, const Layer& words, bool pools) {
  return {.sizes = encoder_sizes(config),
          .names = {},
          .words = words,
          .embedding_size = config.hidden_size,
          .positions = config.max_position_embeddings,
          .types = config.type_vocab_size,
          .embedding_dropout = config.hidden_dropout_prob,
          .layers = numbered_layers("encoder.layer.", config.num_hidden_layers),
          .pooler = pools ? "pooler.dense" : "",
          .name = BertConfig::body_name};
}

}  // namespace

std::vector<Task> BertConfig::tasks() { return encoder_tasks(); }

std::string BertConfig::class_name(Task task) {
  return task == Task::causal_lm ? "BertLMHeadModel"
                                 : class_prefix + std::string(class_suffix(task));
}

WeightNames BertConfig::weight_names() {
  return {.ignored = {"embeddings.position_ids", "cls.seq_relationship."},
          .copies = {{"cls.predictions.decoder.weight", "bert.embeddings.word_embeddings.weight"},
                     {"cls.predictions.decoder.bias", "cls.predictions.bias"}}};
}

void BertConfig::transfer(ConfigFields& fields) {
  transfer_encoder_fields(fields, *this);
  fields.integer("pad_token_id", pad_token_id, -1, limits::vocabulary);
  fields.number("classifier_dropout", classifier_dropout, 0, 1);
}

std::vector<InputOptions> BertConfig::inputs() const {
  return text_inputs(vocab_size, type_vocab_size, pad_token_id);
}

std::optional<GenerationSpec> BertConfig::decoder() const { return encoder_decoder(*this, {}); }

std::vector<Symbol> BertConfig::build(const BuildArguments& arguments) const {
  const Layer words = word_embeddings(vocab_size, hidden_size, initializer_range, pad_token_id);
  const bool pools = arguments.task == Task::sequence_classification ||
                     (arguments.task == Task::features && arguments.add_pooling_layer);
  const Layer bert = body_of(*this, words, pools);
  const std::vector<Symbol> features = arguments.features(bert);
  HeadOptions head{.labels = arguments.labels.count(),
                   .initializer_range = initializer_range,
                   .dropout = classifier_dropout.value_or(hidden_dropout_prob)};
  switch (arguments.task) {
    case Task::sequence_classification:
      return classifier_head(features[1], head);
    case Task::token_classification:
      return classifier_head(features[0], head);
    case Task::question_answering:
      head.dropout = 0;
      return span_head(features[0], head);
    case Task::masked_lm:
    case Task::causal_lm:
      return language_model_head(features[0], encoder_lm_head(*this, arguments, words));
    default:
      return named_features(features);
  }
}

}  // namespace systolic::inline v0
