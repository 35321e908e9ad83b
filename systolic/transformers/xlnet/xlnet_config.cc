#include "systolic/transformers/xlnet/xlnet_config.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/layers/asked_body.h"
#include "systolic/transformers/layers/heads.h"
#include "systolic/transformers/layers/layers.h"
#include "systolic/transformers/xlnet/xlnet_body.h"

namespace systolic::inline v0 {
namespace {

// What the task's head makes of the body's hidden states x.
std::vector<Symbol> head_outputs(const XLNetConfig& config, const BuildArguments& arguments,
                                 const Layer& words, const Symbol& x) {
  const double range = config.initializer_range;
  HeadOptions head{.labels = arguments.labels.count(), .initializer_range = range};
  switch (arguments.task) {
    case Task::sequence_classification: {
      const Layer summary = linear(config.d_model, range, "sequence_summary.summary", "tanh");
      head.dropout = config.summary_last_dropout;
      head.name = "logits_proj";
      return classifier_head(summary(x[{all, config.summary_type == "last" ? -1 : 0}]), head);
    }
    case Task::token_classification:
      return classifier_head(x, head);
    case Task::question_answering:
      return span_head(x, head);
    case Task::causal_lm:
      return token_scores(x, {.words = words,
                              .tokens = config.vocab_size,
                              .tied = arguments.ties_word_embeddings,
                              .initializer_range = range,
                              .name = "lm_loss"});
    default:
      return named_features({x});
  }
}

}  // namespace

std::vector<Task> XLNetConfig::tasks() {
  return {Task::features, Task::sequence_classification, Task::token_classification,
          Task::question_answering, Task::causal_lm};
}

std::string XLNetConfig::class_name(Task task) {
  if (task == Task::causal_lm) return "XLNetLMHeadModel";
  const std::string simple = task == Task::question_answering ? "Simple" : "";
  return class_prefix + std::string(class_suffix(task)) + simple;
}

WeightNames XLNetConfig::weight_names() {
  return {.copies = {{"lm_loss.weight", "transformer.word_embedding.weight"}},
          .may_lack = {"mask_emb"}};
}

void XLNetConfig::transfer(ConfigFields& fields) {
  fields.integer("vocab_size", vocab_size, 1, limits::vocabulary);
  fields.integer("d_model", d_model, 2, limits::width);
  fields.integer("n_layer", n_layer, 0, limits::layers);
  fields.integer("n_head", n_head, 1, limits::width);
  fields.integer("d_inner", d_inner, 1, limits::width);
  fields.choice("ff_activation", ff_activation, hidden_activations());
  fields.choice("attn_type", attn_type, {"bi", "uni"});
  fields.number("initializer_range", initializer_range, 0, 1);
  fields.number("layer_norm_eps", layer_norm_eps, 0, 1);
  fields.number("dropout", dropout, 0, 1);
  fields.integer("clamp_len", clamp_len, -1, limits::positions);
  fields.boolean("same_length", same_length);
  fields.integer("mem_len", mem_len, 0, limits::positions);
  fields.integer("reuse_len", reuse_len, 0, limits::positions);
  fields.boolean("bi_data", bi_data);
  fields.choice("summary_type", summary_type, {"last", "first"});
  fields.number("summary_last_dropout", summary_last_dropout, 0, 1);
  fields.only("summary_use_proj", true);
  fields.only("summary_activation", "tanh");
  fields.integer("pad_token_id", pad_token_id, -1, limits::vocabulary);
  fields.check_heads("d_model", d_model, "n_head", n_head);
  fields.check_heads("d_model", d_model, "waves, one for sines and one for cosines,", 2);
}

std::vector<InputOptions> XLNetConfig::inputs() const {
  // Only whether two types are equal counts.
  return text_inputs(vocab_size, limits::vocabulary, pad_token_id);
}

std::vector<InputOptions> XLNetConfig::optional_inputs() const {
  return {{.shape = Shape{-1, -1}, .name = "perm_mask"},
          {.shape = Shape{-1, -1}, .name = "target_mapping"},
          {.shape = Shape{n_layer, -1, d_model}, .name = "mems"}};
}

OwnLoss XLNetConfig::loss(Task task, const Labels& labels) {
  OwnLoss loss = task_loss(task == Task::causal_lm ? Task::masked_lm : task, labels);
  if (task == Task::causal_lm) loss.hint_without_labels.clear();  // nothing is masked
  return loss;
}

GenerationSpec XLNetConfig::decoder() const {
  return {
      .layers = 1, .width = XLNetBody::digits_of_id, .vocabulary = vocab_size, .head = {"lm_loss"}};
}

std::vector<Symbol> XLNetConfig::build(const BuildArguments& arguments) const {
  if (bi_data) {
    raise<Unimplemented>({.what = "an xlnet configuration with bi_data = true",
                          .wanted = "false: the halves of a batch do not run in two directions"});
  }
  const Layer words = TiedEmbedding{.tokens = vocab_size,
                                    .size = d_model,
                                    .initializer_range = initializer_range,
                                    .name = "word_embedding"};
  const auto takes = [&](const char* name) {
    const std::vector<std::string>& names = arguments.optional_inputs;
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (takes("target_mapping") && arguments.asked && arguments.asked->request.attentions) {
    raise<Unimplemented>({.what = "output_attentions of an xlnet model with \"target_mapping\"",
                          .wanted = "one of both: there are two streams of attention"});
  }
  const Layer body = XLNetBody{.config = *this,
                               .words = words,
                               .takes_perm_mask = takes("perm_mask"),
                               .takes_target_mapping = takes("target_mapping"),
                               .takes_mems = takes("mems")};
  std::vector<Symbol> features = arguments.features(body);
  std::vector<Symbol> outputs = head_outputs(*this, arguments, words, features[0]);
  if (takes("mems")) outputs.push_back(named_output(features[1], "mems"));
  return outputs;
}

}  // namespace systolic::inline v0
