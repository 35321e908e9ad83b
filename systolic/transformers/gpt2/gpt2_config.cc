#include "systolic/transformers/gpt2/gpt2_config.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/gpt2/gpt2_body.h"
#include "systolic/transformers/layers/heads.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {
namespace {

// Two sums a layer: the deviation of all of them is that of one (Radford et al. 2019, section 2.3).
double output_initializer_range(const GPT2Config& config) {
  return config.initializer_range /
         std::sqrt(2.0 * static_cast<double>(std::max<int64_t>(1, config.n_layer)));
}

GPT2Body body_of(const GPT2Config& config, const Layer& words) {
  return {.sizes = {.hidden_size = config.n_embd,
                    .heads = config.n_head,
                    .inner_size = config.n_inner.value_or(4 * config.n_embd),
                    .positions = config.n_positions,
                    .activation = config.activation_function,
                    .layer_norm_epsilon = config.layer_norm_epsilon,
                    .initializer_range = config.initializer_range,
                    .output_initializer_range = output_initializer_range(config),
                    .embedding_dropout = config.embd_pdrop,
                    .attention_dropout = config.attn_pdrop,
                    .output_dropout = config.resid_pdrop,
                    .scale_attention = config.scale_attn_weights,
                    .scale_by_inverse_of_layer = config.scale_attn_by_inverse_layer_idx},
          .words = words,
          .layers = config.n_layer,
          .name = GPT2Config::body_name};
}

}  // namespace

std::string GPT2Config::class_name(Task task) {
  return task == Task::causal_lm ? "GPT2LMHeadModel"
                                 : class_prefix + std::string(class_suffix(task));
}

std::vector<Task> GPT2Config::tasks() {
  return {Task::features, Task::causal_lm, Task::sequence_classification,
          Task::token_classification, Task::question_answering};
}

WeightNames GPT2Config::weight_names() {
  // Its kernels lie [in, out]; attn.bias was the causal mask.
  return {.ignored = {".attn.bias", ".attn.masked_bias"},
          .copies = {{"lm_head.weight", "transformer.wte.weight"}},
          .plain_kernels = {".c_attn.", ".c_proj.", ".c_fc."}};
}

void GPT2Config::transfer(ConfigFields& fields) {
  fields.integer("vocab_size", vocab_size, 1, limits::vocabulary);
  fields.integer("n_positions", n_positions, 1, limits::positions);
  fields.integer("n_embd", n_embd, 1, limits::width);
  fields.integer("n_layer", n_layer, 0, limits::layers);
  fields.integer("n_head", n_head, 1, limits::width);
  fields.integer("n_inner", n_inner, 1, limits::width);
  fields.choice("activation_function", activation_function, hidden_activations());
  fields.number("resid_pdrop", resid_pdrop, 0, 1);
  fields.number("embd_pdrop", embd_pdrop, 0, 1);
  fields.number("attn_pdrop", attn_pdrop, 0, 1);
  fields.number("layer_norm_epsilon", layer_norm_epsilon, 0, 1);
  fields.number("initializer_range", initializer_range, 0, 1);
  fields.boolean("scale_attn_weights", scale_attn_weights);
  fields.boolean("scale_attn_by_inverse_layer_idx", scale_attn_by_inverse_layer_idx);
  fields.integer("pad_token_id", pad_token_id, -1, limits::vocabulary);
  // Written where they are set: files may have lists, which generate() reads.
  for (const auto& [name, id] :
       {std::pair("bos_token_id", &bos_token_id), std::pair("eos_token_id", &eos_token_id)}) {
    if (!fields.reads() && *id) fields.integer(name, *id, -1, limits::vocabulary);
  }
  // No field of its class: written where it is set.
  if (fields.reads() || classifier_dropout)
    fields.number("classifier_dropout", classifier_dropout, 0, 1);
  fields.only("add_cross_attention", false);
  fields.check_heads("n_embd", n_embd, "n_head", n_head);
}

std::vector<InputOptions> GPT2Config::inputs() const {
  return text_inputs(vocab_size, 0, pad_token_id);
}

GenerationSpec GPT2Config::decoder() const {
  constexpr int64_t end_of_text = 50256;
  return {.layers = n_layer,
          .width = n_embd,
          .vocabulary = vocab_size,
          .eos_token_id = eos_token_id.value_or(end_of_text)};
}

std::vector<Symbol> GPT2Config::build(const BuildArguments& arguments) const {
  const Layer words = TiedEmbedding{
      .tokens = vocab_size, .size = n_embd, .initializer_range = initializer_range, .name = "wte"};
  const Layer body = body_of(*this, words);
  const Symbol x = arguments.features(body)[0];
  HeadOptions head{.labels = arguments.labels.count(), .initializer_range = initializer_range};
  switch (arguments.task) {
    case Task::causal_lm:
      return token_scores(x, {.words = words,
                              .tokens = vocab_size,
                              .tied = arguments.ties_word_embeddings,
                              .use_bias = false,
                              .initializer_range = initializer_range,
                              .name = "lm_head"});
    case Task::sequence_classification:
      head.name = "score";
      return last_token_head(x, arguments.inputs, pad_token_id, head);
    case Task::token_classification:
      head.dropout = classifier_dropout.value_or(0.1);
      return classifier_head(x, head);
    case Task::question_answering:
      return span_head(x, head);
    default:
      return named_features({x});
  }
}

}  // namespace systolic::inline v0
