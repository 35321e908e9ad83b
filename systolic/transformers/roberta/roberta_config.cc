#include "systolic/transformers/roberta/roberta_config.h"

#include "systolic/transformers/architecture/encoder_fields.h"
#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/layers/heads.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {
namespace {

constexpr LanguageModelNames head_names{.scores = "lm_head",
                                        .own_scores = "decoder",
                                        .dense = "lm_head.dense",
                                        .norm = "lm_head.layer_norm"};

template <class Kind>
EncoderBody body_of(const RobertaConfigOf<Kind>& config, const Layer& words, bool pools) {
  EncoderSizes sizes = encoder_sizes(config);
  EncoderLayerNames names;
  if (Kind::normalizes_first) {
    sizes.normalizes_first = true;
    sizes.output_dropout = 0;
    names.attention_norm = "attention.self_attn_layer_norm";
    names.output_norm = "LayerNorm";
  }
  return {.sizes = sizes,
          .names = names,
          .words = words,
          .embedding_size = config.hidden_size,
          .positions = config.max_position_embeddings,
          .types = config.type_vocab_size,
          .embedding_dropout = config.hidden_dropout_prob,
          .padding_position = config.pad_token_id,
          .layers = numbered_layers("encoder.layer.", config.num_hidden_layers),
          .pooler = pools ? "pooler.dense" : "",
          .name = RobertaConfig::body_name};
}

}  // namespace

template <class Kind>
std::vector<Task> RobertaConfigOf<Kind>::tasks() {
  return encoder_tasks();
}

template <class Kind>
WeightNames RobertaConfigOf<Kind>::weight_names() {
  return {.ignored = {"embeddings.position_ids"},
          .copies = {{"lm_head.decoder.weight", "roberta.embeddings.word_embeddings.weight"},
                     {"lm_head.decoder.bias", "lm_head.bias"}}};
}

template <class Kind>
void RobertaConfigOf<Kind>::transfer(ConfigFields& fields) {
  transfer_encoder_fields(fields, *this);
  fields.integer("pad_token_id", pad_token_id, 0, limits::vocabulary);
  if (fields.reads() && max_tokens() < 1) {
    fields.fail("max_position_embeddings", str(max_position_embeddings),
                str("at least ", pad_token_id + 2, ": positions begin after the token that pads, ",
                    pad_token_id));
  }
  fields.number("classifier_dropout", classifier_dropout, 0, 1);
}

template <class Kind>
std::vector<InputOptions> RobertaConfigOf<Kind>::inputs() const {
  return text_inputs(vocab_size, type_vocab_size, pad_token_id);
}

template <class Kind>
std::optional<GenerationSpec> RobertaConfigOf<Kind>::decoder() const {
  constexpr int64_t end_of_text = 2;
  return encoder_decoder(*this, head_names, end_of_text);
}

template <class Kind>
std::vector<Symbol> RobertaConfigOf<Kind>::build(const BuildArguments& arguments) const {
  const Layer words = word_embeddings(vocab_size, hidden_size, initializer_range, pad_token_id);
  const bool pools = arguments.task == Task::features && arguments.add_pooling_layer;
  const Layer body = body_of(*this, words, pools);
  const std::vector<Symbol> features = arguments.features(body);
  const Symbol& x = features[0];
  HeadOptions head{.labels = arguments.labels.count(),
                   .initializer_range = initializer_range,
                   .dropout = classifier_dropout.value_or(hidden_dropout_prob)};
  switch (arguments.task) {
    case Task::sequence_classification:
      return deep_classifier_head(x[{all, 0}], hidden_size, "tanh", head);
    case Task::token_classification:
      // XLM-R XL's loss leaves out what pads, whatever its labels are.
      return Kind::normalizes_first ? classifier_head(x, arguments.inputs.at(1), head)
                                    : classifier_head(x, head);
    case Task::question_answering:
      head.dropout = 0;
      return span_head(x, head);
    case Task::masked_lm:
    case Task::causal_lm: {
      LanguageModelHead lm_head = encoder_lm_head(*this, arguments, words);
      lm_head.activation = "gelu";
      lm_head.names = head_names;
      return language_model_head(x, lm_head);
    }
    default:
      return named_features(features);
  }
}

template struct RobertaConfigOf<RobertaKind>;
template struct RobertaConfigOf<XLMRobertaKind>;
template struct RobertaConfigOf<XLMRobertaXLKind>;
template struct RobertaConfigOf<CamembertKind>;

}  // namespace systolic::inline v0
