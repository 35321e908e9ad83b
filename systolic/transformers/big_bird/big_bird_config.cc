#include "systolic/transformers/big_bird/big_bird_config.h"

#include <cmath>

#include "systolic/nn/layers/normalization/layer_normalization.h"
#include "systolic/nn/layers/regularization/dropout.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/architecture/encoder_fields.h"
#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/layers/heads.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {
namespace {

EncoderSizes sizes_of(const BigBirdConfig& config) {
  EncoderSizes sizes = encoder_sizes(config);
  sizes.projection_bias = config.use_bias;
  return sizes;
}

EncoderBody body_of(const BigBirdConfig& config, const Layer& words, bool pools) {
  std::optional<BlockSparse> sparse;
  if (config.attention_type == "block_sparse" && !config.is_decoder) {
    sparse = BlockSparse{.block_size = config.block_size,
                         .random_blocks = config.num_random_blocks,
                         .most_positions = config.max_position_embeddings};
  }
  const double width = static_cast<double>(config.hidden_size);
  return {.sizes = sizes_of(config),
          .names = {},
          .words = words,
          .vocabulary = config.vocab_size,
          .embedding_size = config.hidden_size,
          .positions = config.max_position_embeddings,
          .types = config.type_vocab_size,
          .embedding_dropout = config.hidden_dropout_prob,
          .layers = numbered_layers("encoder.layer.", config.num_hidden_layers),
          .pooler = pools ? "pooler" : "",
          .word_scale = config.rescale_embeddings ? std::sqrt(width) : 1,
          .drops_before_norm = true,
          .sparse = sparse,
          .padding_token = config.pad_token_id.value_or(0),
          .name = BigBirdConfig::body_name};
}

Tensor places(const Shape& shape) { return broadcast_to(iota({1, shape[1]}, 1), shape); }

// ids [batch, tokens] -> pred [batch, tokens]: which belong to the question, up to the first
// separator; without one it is one token long.
Tensor question(const Tensor& ids, int64_t separator) {
  const Shape& shape = ids.shape();
  const Tensor after = where(cast(ids, DType::i32) == separator, places(shape), shape[1]);
  const Tensor first = min(after, {.axis = 1, .keepdims = true});
  return places(shape) <= where(first == shape[1], 0, first);
}

// {token_type_ids, input_ids} -> the types. Those that are not given, which are negative, follow
// from the question: 0 for its tokens, 1 for those after it.
struct TypesByQuestion {
  static constexpr const char* kind = "TypesByQuestion";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  int64_t separator, types;

  Tensor call(const std::vector<Tensor>& xs, CallContext&) const {
    const Tensor after = where(question(xs[1], separator), 0, types > 1 ? 1 : 0);
    return where(xs[0] < 0, cast(after, xs[0].dtype()), xs[0]);
  }
};

// {logits [batch, tokens, 2], input_ids [batch, tokens]} -> the logits, with those of the question
// ruled out; the token in front stays: it means that there is no answer.
struct WithoutQuestion {
  static constexpr const char* kind = "WithoutQuestion";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  int64_t separator;

  Tensor call(const std::vector<Tensor>& xs, CallContext&) const {
    const Tensor out = logical_and(question(xs[1], separator), places(xs[1].shape()) > 0);
    return xs[0] - expand_dims(cast(out, xs[0].dtype()), 2) * 1e6;
  }
};

// Where an answer begins and ends in a context after its question, x [batch, tokens, size].
std::vector<Symbol> answer_head(const BigBirdConfig& config, const Symbol& x, const Symbol& ids) {
  const double range = config.initializer_range;
  const std::string name = "qa_classifier.";
  const Layer wide = linear(config.intermediate_size, range, name + "intermediate.dense",
                            hidden_activation(config.hidden_act));
  const Layer narrow = linear(config.hidden_size, range, name + "output.dense");
  const Layer norm =
      LayerNormalization{.epsilon = config.layer_norm_eps, .name = name + "output.LayerNorm"};
  const Layer spans = linear(2, range, name + "qa_outputs");
  const auto drop = [&](const Symbol& y) { return Dropout{.rate = config.hidden_dropout_prob}(y); };
  const Layer without = WithoutQuestion{.separator = config.sep_token_id};
  const Symbol logits = without({spans(norm(drop(narrow(wide(drop(x)))) + x)), ids});
  return {named_scores(logits[{ellipsis, 0}], "start_logits"),
          named_scores(logits[{ellipsis, 1}], "end_logits")};
}

}  // namespace

std::vector<Task> BigBirdConfig::tasks() { return encoder_tasks(); }

WeightNames BigBirdConfig::weight_names() {
  return {.ignored = {"embeddings.position_ids", "cls.seq_relationship."},
          .copies = {{"cls.predictions.decoder.weight", "bert.embeddings.word_embeddings.weight"},
                     {"cls.predictions.decoder.bias", "cls.predictions.bias"}}};
}

void BigBirdConfig::transfer(ConfigFields& fields) {
  transfer_encoder_fields(fields, *this);
  fields.integer("pad_token_id", pad_token_id, -1, limits::vocabulary);
  fields.integer("sep_token_id", sep_token_id, -1, limits::vocabulary);
  fields.choice("attention_type", attention_type, {"block_sparse", "original_full"});
  fields.boolean("use_bias", use_bias);
  fields.boolean("rescale_embeddings", rescale_embeddings);
  fields.integer("block_size", block_size, 1, limits::positions);
  fields.integer("num_random_blocks", num_random_blocks, 0, limits::layers);
  fields.number("classifier_dropout", classifier_dropout, 0, 1);
}

std::vector<InputOptions> BigBirdConfig::inputs(Task task) const {
  std::vector<InputOptions> inputs = text_inputs(vocab_size, type_vocab_size, pad_token_id);
  if (task == Task::question_answering) inputs.back().default_value = -1;  // TypesByQuestion
  return inputs;
}

std::optional<GenerationSpec> BigBirdConfig::decoder() const {
  constexpr int64_t end_of_text = 2;
  return encoder_decoder(*this, {}, end_of_text);
}

std::vector<Symbol> BigBirdConfig::build(const BuildArguments& arguments) const {
  const Layer words = word_embeddings(vocab_size, hidden_size, initializer_range, pad_token_id);
  // As in transformers, also in models that do not use it, since their files hold its weights.
  const bool pools = arguments.task != Task::question_answering && arguments.add_pooling_layer;
  const Layer body = body_of(*this, words, pools);
  std::vector<Symbol> inputs = arguments.inputs;
  if (arguments.task == Task::question_answering) {
    const Layer types = TypesByQuestion{.separator = sep_token_id, .types = type_vocab_size};
    inputs[2] = types({inputs[2], inputs[0]});
  }
  const std::vector<Symbol> features = arguments.features(body, inputs);
  const HeadOptions head{.labels = arguments.labels.count(),
                         .initializer_range = initializer_range,
                         .dropout = classifier_dropout.value_or(hidden_dropout_prob)};
  switch (arguments.task) {
    case Task::sequence_classification:
      return deep_classifier_head(features[0][{all, 0}], hidden_size, hidden_activation(hidden_act),
                                  head);
    case Task::token_classification:
      return classifier_head(features[0], head);
    case Task::question_answering:
      return answer_head(*this, features[0], arguments.inputs[0]);
    case Task::masked_lm:
    case Task::causal_lm:
      return language_model_head(features[0], encoder_lm_head(*this, arguments, words));
    default:
      return named_features(features);
  }
}

}  // namespace systolic::inline v0
