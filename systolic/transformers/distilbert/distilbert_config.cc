#include "systolic/transformers/distilbert/distilbert_config.h"

#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/layers/encoder_body.h"
#include "systolic/transformers/layers/heads.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {
namespace {

constexpr EncoderLayerNames layer_names{.query = "attention.q_lin",
                                        .key = "attention.k_lin",
                                        .value = "attention.v_lin",
                                        .attention_output = "attention.out_lin",
                                        .attention_norm = "sa_layer_norm",
                                        .inner = "ffn.lin1",
                                        .output = "ffn.lin2",
                                        .output_norm = "output_layer_norm"};

EncoderSizes sizes_of(const DistilBertConfig& config) {
  return {.hidden_size = config.dim,
          .heads = config.n_heads,
          .intermediate_size = config.hidden_dim,
          .activation = config.activation,
          .initializer_range = config.initializer_range,
          .probability_dropout = config.attention_dropout,
          .output_dropout = config.dropout};
}

EncoderBody body_of(const DistilBertConfig& config, const Layer& words) {
  return {.sizes = sizes_of(config),
          .names = layer_names,
          .words = words,
          .embedding_size = config.dim,
          .positions = config.max_position_embeddings,
          .sinusoidal_positions = config.sinusoidal_pos_embds,
          .embedding_dropout = config.dropout,
          .layers = numbered_layers("transformer.layer.", config.n_layers),
          .name = DistilBertConfig::body_name};
}

}  // namespace

std::vector<Task> DistilBertConfig::tasks() {
  return {Task::features, Task::sequence_classification, Task::token_classification,
          Task::question_answering, Task::masked_lm};
}

WeightNames DistilBertConfig::weight_names() {
  return {.ignored = {"embeddings.position_ids"},
          .copies = {{"vocab_projector.weight", "distilbert.embeddings.word_embeddings.weight"}}};
}

void DistilBertConfig::transfer(ConfigFields& fields) {
  fields.integer("vocab_size", vocab_size, 1, limits::vocabulary);
  fields.integer("max_position_embeddings", max_position_embeddings, 1, limits::positions);
  fields.boolean("sinusoidal_pos_embds", sinusoidal_pos_embds);
  fields.integer("n_layers", n_layers, 0, limits::layers);
  fields.integer("n_heads", n_heads, 1, limits::width);
  fields.integer("dim", dim, 1, limits::width);
  fields.integer("hidden_dim", hidden_dim, 1, limits::width);
  fields.number("dropout", dropout, 0, 1);
  fields.number("attention_dropout", attention_dropout, 0, 1);
  fields.choice("activation", activation, hidden_activations());
  fields.number("initializer_range", initializer_range, 0, 1);
  fields.number("qa_dropout", qa_dropout, 0, 1);
  fields.number("seq_classif_dropout", seq_classif_dropout, 0, 1);
  fields.integer("pad_token_id", pad_token_id, -1, limits::vocabulary);
  fields.check_heads("dim", dim, "n_heads", n_heads);
}

std::vector<InputOptions> DistilBertConfig::inputs() const {
  return text_inputs(vocab_size, 0, pad_token_id);
}

std::vector<Symbol> DistilBertConfig::build(const BuildArguments& arguments) const {
  const Layer words = word_embeddings(vocab_size, dim, initializer_range, pad_token_id);
  const Layer body = body_of(*this, words);
  const Symbol x = arguments.features(body)[0];
  HeadOptions head{.labels = arguments.labels.count(), .initializer_range = initializer_range};
  switch (arguments.task) {
    case Task::sequence_classification:
      head.dropout = seq_classif_dropout;
      return classifier_head(
          Layer(linear(dim, initializer_range, "pre_classifier", "relu"))(x[{all, 0}]), head);
    case Task::token_classification:
      head.dropout = dropout;
      return classifier_head(x, head);
    case Task::question_answering:
      head.dropout = qa_dropout;
      return span_head(x, head);
    case Task::masked_lm:
      return language_model_head(
          x, {.words = words,
              .tokens = vocab_size,
              .tied = arguments.ties_word_embeddings,
              .initializer_range = initializer_range,
              .size = dim,
              .activation = activation,
              .names = {"vocab_projector", "", "vocab_transform", "vocab_layer_norm"}});
    default:
      return named_features({x});
  }
}

}  // namespace systolic::inline v0
