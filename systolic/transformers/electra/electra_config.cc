#include "systolic/transformers/electra/electra_config.h"

#include "systolic/transformers/architecture/encoder_fields.h"
#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/layers/heads.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {
namespace {

constexpr LanguageModelNames generator_names{.scores = "generator_lm_head",
                                             .own_scores = "",
                                             .dense = "generator_predictions.dense",
                                             .norm = "generator_predictions.LayerNorm"};

EncoderBody body_of(const ElectraConfig& config, const Layer& words) {
  const bool projects = config.embedding_size != config.hidden_size;
  return {.sizes = encoder_sizes(config),
          .names = {},
          .words = words,
          .embedding_size = config.embedding_size,
          .positions = config.max_position_embeddings,
          .types = config.type_vocab_size,
          .embedding_dropout = config.hidden_dropout_prob,
          .projection = projects ? "embeddings_project" : "",
          .layers = numbered_layers("encoder.layer.", config.num_hidden_layers),
          .name = ElectraConfig::body_name};
}

// Whether each token was replaced: x [batch, tokens, size] -> {logits [batch, tokens]}, of which
// those count that the attention mask shows.
std::vector<Symbol> discriminator_head(const Symbol& x, const Symbol& attention_mask,
                                       const ElectraConfig& config) {
  const Layer dense =
      linear(config.hidden_size, config.initializer_range, "discriminator_predictions.dense",
             hidden_activation(config.hidden_act));
  const Layer prediction =
      linear(1, config.initializer_range, "discriminator_predictions.dense_prediction");
  return {named_scores(prediction(dense(x))[{ellipsis, 0}], attention_mask, "logits")};
}

}  // namespace

std::vector<Task> ElectraConfig::tasks() {
  std::vector<Task> tasks = encoder_tasks();
  tasks.push_back(Task::pretraining);
  return tasks;
}

WeightNames ElectraConfig::weight_names() {
  return {.ignored = {"embeddings.position_ids"},
          .copies = {{"generator_lm_head.weight", "electra.embeddings.word_embeddings.weight"}}};
}

void ElectraConfig::transfer(ConfigFields& fields) {
  transfer_encoder_fields(fields, *this);
  fields.integer("embedding_size", embedding_size, 1, limits::width);
  fields.integer("pad_token_id", pad_token_id, -1, limits::vocabulary);
  fields.number("classifier_dropout", classifier_dropout, 0, 1);
}

std::vector<InputOptions> ElectraConfig::inputs() const {
  return text_inputs(vocab_size, type_vocab_size, pad_token_id);
}

std::optional<GenerationSpec> ElectraConfig::decoder() const {
  return encoder_decoder(*this, generator_names);
}

std::vector<Symbol> ElectraConfig::build(const BuildArguments& arguments) const {
  const Layer words = word_embeddings(vocab_size, embedding_size, initializer_range, pad_token_id);
  const Layer body = body_of(*this, words);
  const Symbol x = arguments.features(body)[0];
  HeadOptions head{.labels = arguments.labels.count(),
                   .initializer_range = initializer_range,
                   .dropout = classifier_dropout.value_or(hidden_dropout_prob)};
  switch (arguments.task) {
    case Task::sequence_classification:
      return deep_classifier_head(x[{all, 0}], hidden_size, "gelu", head);
    case Task::token_classification:
      return classifier_head(x, head);
    case Task::question_answering:
      head.dropout = 0;
      return span_head(x, head);
    case Task::masked_lm:
    case Task::causal_lm: {
      LanguageModelHead generator = encoder_lm_head(*this, arguments, words);
      generator.size = embedding_size;
      generator.activation = "gelu";
      generator.names = generator_names;
      return language_model_head(x, generator);
    }
    case Task::pretraining:
      return discriminator_head(x, arguments.inputs.at(1), *this);
    default:
      return named_features({x});
  }
}

}  // namespace systolic::inline v0
