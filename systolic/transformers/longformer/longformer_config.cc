#include "systolic/transformers/longformer/longformer_config.h"

#include "systolic/base/error.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/architecture/encoder_fields.h"
#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/layers/asked_body.h"
#include "systolic/transformers/layers/heads.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {
namespace {

constexpr const char* longformer_global_input = "global_attention_mask";
constexpr LanguageModelNames longformer_head{.scores = "lm_head",
                                             .own_scores = "decoder",
                                             .dense = "lm_head.dense",
                                             .norm = "lm_head.layer_norm"};

// {global_attention_mask, input_ids} -> that mask; one that was not given, which is negative, is
// that of the task.
struct GlobalTokens {
  static constexpr const char* kind = "GlobalTokens";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  Task task = Task::features;
  int64_t separator = 0;

  Tensor call(const std::vector<Tensor>& xs, CallContext&) const {
    return where(xs[0] < 0, of_task(xs[1], xs[0].shape()), cast(xs[0], DType::i32));
  }

 private:
  Tensor of_task(const Tensor& ids, const Shape& shape) const {
    const Tensor places = broadcast_to(iota({1, shape[1]}, 1), shape);
    if (task == Task::sequence_classification) return cast(places == 0, DType::i32);
    // Vectors in place of ids do not say where a question ends.
    if (task != Task::question_answering || ids.rank() != 2) return zeros(shape, DType::i32);
    const Tensor ends = where(cast(ids, DType::i32) == separator, places, shape[1]);
    const Tensor first = min(ends, {.axis = 1, .keepdims = true});
    // A text without a separator has no question.
    return cast(logical_and(places < first, first < shape[1]), DType::i32);
  }
};

std::vector<int64_t> reaches_of(const LongformerConfig& config) {
  std::vector<int64_t> reaches;
  const bool is_one = config.attention_window.size() == 1;
  for (int64_t i = 0; i < config.num_hidden_layers; ++i)
    reaches.push_back(config.attention_window[is_one ? 0 : static_cast<size_t>(i)] / 2);
  return reaches;
}

EncoderBody body_of(const LongformerConfig& config, const Layer& words, bool pools) {
  return {.sizes = encoder_sizes(config),
          .names = {},
          .words = words,
          .embedding_size = config.hidden_size,
          .positions = config.max_position_embeddings,
          .types = config.type_vocab_size,
          .embedding_dropout = config.hidden_dropout_prob,
          .padding_position = config.pad_token_id,
          .layers = numbered_layers("encoder.layer.", config.num_hidden_layers),
          .pooler = pools ? "pooler.dense" : "",
          .reaches = reaches_of(config),
          .name = LongformerConfig::body_name};
}

// Global tokens and others have scores of their own.
void check_asked(const BuildArguments& arguments) {
  if (arguments.asked == nullptr || !arguments.asked->request.attentions) return;
  raise<Unimplemented>(
      {.what = str("output_attentions of a ", LongformerConfig::model_type, " model"),
       .wanted = "output_hidden_states alone"});
}

void check_windows(const ConfigFields& fields, const LongformerConfig& config) {
  const std::vector<int64_t>& windows = config.attention_window;
  const auto layers = static_cast<size_t>(config.num_hidden_layers);
  if (windows.size() != 1 && windows.size() != layers)
    fields.fail("attention_window", str(windows.size(), " numbers"),
                str("one, or one for each of num_hidden_layers, ", layers));
  for (const int64_t one : windows) {
    if (one % 2 != 0) fields.fail("attention_window", str(one), "an even number");
  }
}

}  // namespace

std::vector<Task> LongformerConfig::tasks() {
  return {Task::features, Task::sequence_classification, Task::token_classification,
          Task::question_answering, Task::masked_lm};
}

WeightNames LongformerConfig::weight_names() {
  return {.ignored = {"embeddings.position_ids"},
          .copies = {{"lm_head.decoder.weight", "longformer.embeddings.word_embeddings.weight"},
                     {"lm_head.decoder.bias", "lm_head.bias"}}};
}

void LongformerConfig::transfer(ConfigFields& fields) {
  transfer_encoder_fields(fields, *this);
  fields.integer("pad_token_id", pad_token_id, 0, limits::vocabulary);
  fields.integer("sep_token_id", sep_token_id, -1, limits::vocabulary);
  fields.integers("attention_window", attention_window, 2, limits::positions);
  if (!fields.reads()) return;
  check_windows(fields, *this);
  if (max_tokens() < 1) {
    fields.fail("max_position_embeddings", str(max_position_embeddings),
                str("at least ", pad_token_id + 2, ": positions begin after the token that pads, ",
                    pad_token_id));
  }
}

std::vector<InputOptions> LongformerConfig::inputs() const {
  std::vector<InputOptions> inputs = text_inputs(vocab_size, type_vocab_size, pad_token_id);
  inputs.push_back({.shape = Shape{-1}, .dtype = DType::i32, .name = longformer_global_input});
  inputs.back().default_value = -1;  // GlobalTokens
  return inputs;
}

std::vector<Symbol> LongformerConfig::build(const BuildArguments& arguments) const {
  check_asked(arguments);
  const Layer words = word_embeddings(vocab_size, hidden_size, initializer_range, pad_token_id);
  const bool pools = arguments.task == Task::features && arguments.add_pooling_layer;
  const Layer body = body_of(*this, words, pools);
  std::vector<Symbol> inputs = arguments.inputs;
  const Layer global = GlobalTokens{.task = arguments.task, .separator = sep_token_id};
  inputs[3] = global({inputs[3], inputs[0]});
  const std::vector<Symbol> features = arguments.features(body, inputs);
  const Symbol& x = features[0];
  HeadOptions head{.labels = arguments.labels.count(),
                   .initializer_range = initializer_range,
                   .dropout = hidden_dropout_prob};
  switch (arguments.task) {
    case Task::sequence_classification:
      return deep_classifier_head(x[{all, 0}], hidden_size, "tanh", head);
    case Task::token_classification:
      return classifier_head(x, head);
    case Task::question_answering:
      head.dropout = 0;
      return span_head(x, head);
    case Task::masked_lm: {
      LanguageModelHead lm_head = encoder_lm_head(*this, arguments, words);
      lm_head.activation = "gelu";
      lm_head.names = longformer_head;
      return language_model_head(x, lm_head);
    }
    default:
      return named_features(features);
  }
}

}  // namespace systolic::inline v0
