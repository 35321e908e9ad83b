#include "systolic/transformers/modernbert/modernbert_config.h"

#include <cmath>

#include "systolic/base/text.h"
#include "systolic/nn/layers/normalization/layer_normalization.h"
#include "systolic/nn/layers/regularization/dropout.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/config/layer_types.h"
#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/layers/heads.h"
#include "systolic/transformers/layers/layers.h"
#include "systolic/transformers/modernbert/modernbert_body.h"

namespace systolic::inline v0 {
namespace {

// {x [batch, tokens, size], attention_mask [batch, tokens]} -> [batch, size], the mean of those
// that the mask shows.
struct MeanOfTokens {
  static constexpr const char* kind = "MeanOfTokens";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;

  Tensor call(const std::vector<Tensor>& xs, CallContext&) const {
    const Tensor counted = cast(shown_tokens(xs.at(1)), xs.at(0).dtype());
    return sum(xs[0] * expand_dims(counted, 2), {.axis = 1}) /
           sum(counted, {.axis = 1, .keepdims = true});
  }
};

void transfer_rope(ConfigFields& fields, ModernBertConfig& config) {
  RopeParameters &far = config.rope_parameters, &near = config.local_rope_parameters;
  if (fields.reads()) {
    constexpr double largest = 1e15;
    std::optional<double> far_theta, near_theta;
    fields.number("global_rope_theta", far_theta, 1, largest);
    fields.number("local_rope_theta", near_theta, 1, largest);
    far.rope_theta = far_theta.value_or(far.rope_theta);
    near.rope_theta = near_theta.value_or(near.rope_theta);
  }
  fields.none("rope_scaling", "rope_parameters of full_attention and sliding_attention say it");
  fields.object("rope_parameters", [&](ConfigFields& inside) {
    inside.object(layer_types::full_attention, [&](ConfigFields& one) { far.transfer(one); });
    inside.object(layer_types::sliding_attention, [&](ConfigFields& one) { near.transfer(one); });
  });
}

void transfer_layer_types(ConfigFields& fields, ModernBertConfig& config) {
  std::vector<std::string>& types = config.layer_types;
  int64_t period = 3;
  if (fields.reads()) {
    types.clear();
    fields.integer("global_attn_every_n_layers", period, 1, limits::layers);
  }
  if (fields.reads() || !types.empty())
    fields.texts("layer_types", types,
                 {layer_types::full_attention, layer_types::sliding_attention});
  if (!fields.reads()) return;
  const auto layers = static_cast<size_t>(config.num_hidden_layers);
  for (size_t i = 0; types.size() < layers && (i > 0 || types.empty()); ++i)
    types.emplace_back(i % static_cast<size_t>(period) == 0 ? layer_types::full_attention
                                                            : layer_types::sliding_attention);
  if (types.size() != layers)
    fields.fail("layer_types", str(types.size(), " texts"),
                str(layers, ", as many as num_hidden_layers"));
}

// A dense layer, an activation and a normalization, which all heads have.
Symbol prediction_head(const ModernBertConfig& config, const Symbol& x) {
  const Layer dense = Dense{.units = config.hidden_size,
                            .activation = hidden_activation(config.classifier_activation),
                            .use_bias = config.classifier_bias,
                            .kernel_initializer = modernbert_output_start(config),
                            .name = "head.dense"};
  const Layer norm = LayerNormalization{
      .epsilon = config.norm_eps, .center = config.norm_bias, .name = "head.norm"};
  return norm(dense(x));
}

}  // namespace

std::vector<Task> ModernBertConfig::tasks() {
  return {Task::features, Task::sequence_classification, Task::token_classification,
          Task::question_answering, Task::masked_lm};
}

WeightNames ModernBertConfig::weight_names() {
  return {.copies = {{"decoder.weight", "model.embeddings.tok_embeddings.weight"}}};
}

void ModernBertConfig::transfer(ConfigFields& fields) {
  fields.integer("vocab_size", vocab_size, 1, limits::vocabulary);
  fields.integer("hidden_size", hidden_size, 1, limits::width);
  fields.integer("intermediate_size", intermediate_size, 1, limits::width);
  fields.integer("num_hidden_layers", num_hidden_layers, 0, limits::layers);
  fields.integer("num_attention_heads", num_attention_heads, 1, limits::width);
  fields.choice("hidden_activation", hidden_activation, hidden_activations());
  fields.integer("max_position_embeddings", max_position_embeddings, 1, limits::positions);
  fields.number("initializer_range", initializer_range, 0, 1);
  fields.number("norm_eps", norm_eps, 0, 1);
  fields.boolean("norm_bias", norm_bias);
  fields.integer("pad_token_id", pad_token_id, -1, limits::vocabulary);
  fields.boolean("attention_bias", attention_bias);
  fields.number("attention_dropout", attention_dropout, 0, 1);
  transfer_layer_types(fields, *this);
  transfer_rope(fields, *this);
  fields.integer("local_attention", local_attention, 1, limits::positions);
  fields.number("embedding_dropout", embedding_dropout, 0, 1);
  fields.boolean("mlp_bias", mlp_bias);
  fields.number("mlp_dropout", mlp_dropout, 0, 1);
  fields.boolean("decoder_bias", decoder_bias);
  fields.choice("classifier_pooling", classifier_pooling, {"cls", "mean"});
  fields.number("classifier_dropout", classifier_dropout, 0, 1);
  fields.boolean("classifier_bias", classifier_bias);
  fields.choice("classifier_activation", classifier_activation, hidden_activations());
  fields.check_heads("hidden_size", hidden_size, "num_attention_heads", num_attention_heads);
  if (fields.reads() && hidden_size / num_attention_heads % 2 != 0)
    fields.fail("num_attention_heads", str("heads of ", hidden_size / num_attention_heads),
                "an even size: positions turn pairs of numbers");
}

std::vector<InputOptions> ModernBertConfig::inputs() const {
  return text_inputs(vocab_size, 0, pad_token_id);
}

std::vector<Symbol> ModernBertConfig::build(const BuildArguments& arguments) const {
  const Layer words = TiedEmbedding{.tokens = vocab_size,
                                    .size = hidden_size,
                                    .padding = pad_token_id,
                                    .initializer_range = initializer_range,
                                    .name = "embeddings.tok_embeddings"};
  const Layer body = ModernBertBody{.config = *this, .words = words, .name = body_name};
  const Symbol x = arguments.features(body)[0];
  if (arguments.task == Task::features) return named_features({x});
  if (arguments.task == Task::masked_lm)
    return token_scores(prediction_head(*this, x), {.words = words,
                                                    .tokens = vocab_size,
                                                    .tied = arguments.ties_word_embeddings,
                                                    .use_bias = decoder_bias,
                                                    .initializer_range = initializer_range,
                                                    .name = "decoder"});
  HeadOptions head{.labels = arguments.labels.count(),
                   .initializer_range = 1 / std::sqrt(static_cast<double>(hidden_size)),
                   .dropout = classifier_dropout};
  if (arguments.task == Task::sequence_classification) {
    const Symbol text =
        classifier_pooling == "cls" ? x[{all, 0}] : Layer(MeanOfTokens{})({x, arguments.inputs[1]});
    return classifier_head(prediction_head(*this, text), head);
  }
  const Symbol tokens = prediction_head(*this, x);
  if (arguments.task == Task::token_classification) return classifier_head(tokens, head);
  const Layer spans = linear(2, head.initializer_range, "classifier");
  const Symbol logits = spans(Dropout{.rate = classifier_dropout}(tokens));
  return {named_scores(logits[{ellipsis, 0}], "start_logits"),
          named_scores(logits[{ellipsis, 1}], "end_logits")};
}

}  // namespace systolic::inline v0
