#include "systolic/models/xlnet/xlnet_config.h"

#include "systolic/models/heads.h"
#include "systolic/models/layers.h"
#include "systolic/models/limits.h"
#include "systolic/models/xlnet/xlnet_body.h"

namespace systolic::inline v0 {

std::vector<Task> XLNetConfig::tasks() {
  return {Task::features, Task::sequence_classification, Task::token_classification,
          Task::question_answering};
}

std::string XLNetConfig::class_name(Task task) {
  const std::string simple = task == Task::question_answering ? "Simple" : "";
  return class_prefix + std::string(class_suffix(task)) + simple;
}

WeightNames XLNetConfig::weight_names() { return {.may_lack = {"mask_emb"}}; }

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
  fields.choice("summary_type", summary_type, {"last", "first"});
  fields.number("summary_last_dropout", summary_last_dropout, 0, 1);
  fields.integer("pad_token_id", pad_token_id, -1, limits::vocabulary);
  fields.check_heads("d_model", d_model, "n_head", n_head);
  fields.check_heads("d_model", d_model, "waves, one for sines and one for cosines,", 2);
}

std::vector<InputOptions> XLNetConfig::inputs() const {
  // Only whether two types are equal counts.
  return text_inputs(vocab_size, limits::vocabulary);
}

std::vector<Symbol> XLNetConfig::build(const BuildArguments& arguments) const {
  const Layer words = TiedEmbedding{.tokens = vocab_size,
                                    .size = d_model,
                                    .initializer_range = initializer_range,
                                    .name = "word_embedding"};
  const Layer body = XLNetBody{.config = *this, .words = words};
  const Symbol x = body.outputs(arguments.inputs)[0];
  HeadOptions head{.labels = arguments.labels.count(), .initializer_range = initializer_range};
  switch (arguments.task) {
    case Task::sequence_classification: {
      const Layer summary = linear(d_model, initializer_range, "sequence_summary.summary", "tanh");
      head.dropout = summary_last_dropout;
      head.name = "logits_proj";
      return classifier_head(summary(x[{all, summary_type == "last" ? -1 : 0}]), head);
    }
    case Task::token_classification:
      return classifier_head(x, head);
    case Task::question_answering:
      return span_head(x, head);
    default:
      return named_features({x});
  }
}

}  // namespace systolic::inline v0
