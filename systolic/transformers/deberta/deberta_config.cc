#include "systolic/transformers/deberta/deberta_config.h"

#include "systolic/base/text.h"
#include "systolic/nn/layers/regularization/dropout.h"
#include "systolic/transformers/architecture/encoder_fields.h"
#include "systolic/transformers/deberta/deberta_body.h"

namespace systolic::inline v0 {
namespace {

constexpr const char* attention_types = "pos_att_type";
constexpr int64_t largest_kernel = 255;

// A list, or one text with bars between: "p2c|c2p".
void transfer_attention_types(ConfigFields& fields, std::vector<std::string>& types) {
  Config value = types.empty() ? Config() : Config(Config::List(types.begin(), types.end()));
  fields.json(attention_types, value);
  if (!fields.reads() || (!value.is_text() && !value.is_list())) return;
  types.clear();
  const auto add = [&](const std::string& type) {
    if (type != "c2p" && type != "p2c")
      fields.fail(attention_types, type.substr(0, 40), "some of \"c2p\", \"p2c\"");
    types.push_back(type);
  };
  if (value.is_list()) {
    for (const Config& one : value.list()) add(one.is_text() ? one.text_value() : one.text());
    return;
  }
  for (const std::string& one : split(value.text_value(), '|')) add(std::string(trim(one)));
}

void transfer_positions(ConfigFields& fields, DebertaV2Config& config) {
  fields.integer("max_position_embeddings", config.max_position_embeddings, 1, limits::positions);
  fields.boolean("relative_attention", config.relative_attention);
  fields.integer("max_relative_positions", config.max_relative_positions, -1, limits::positions);
  fields.integer("position_buckets", config.position_buckets, -1, limits::positions);
  transfer_attention_types(fields, config.pos_att_type);
  fields.boolean("share_att_key", config.share_att_key);
  fields.choice("norm_rel_ebd", config.norm_rel_ebd, {"none", "layer_norm"});
  fields.boolean("position_biased_input", config.position_biased_input);
  const DistanceTable table = distance_table(config);
  const int64_t middle = table.count / 2;
  if (fields.reads() && table.max_distance > 0 && (middle < 1 || table.max_distance < middle + 2))
    fields.fail("position_buckets", str(table.count, " for distances up to ", table.max_distance),
                "2 or more, and fewer than there are distances");
}

void transfer_convolution(ConfigFields& fields, DebertaV2Config& config) {
  fields.integer("conv_kernel_size", config.conv_kernel_size, 0, largest_kernel);
  fields.integer("conv_groups", config.conv_groups, 1, limits::width);
  fields.choice("conv_act", config.conv_act, hidden_activations());
  if (!fields.reads() || config.conv_kernel_size == 0) return;
  if (config.conv_kernel_size % 2 == 0)
    fields.fail("conv_kernel_size", str(config.conv_kernel_size), "0 or an odd number");
  fields.check_heads("hidden_size", config.hidden_size, "conv_groups", config.conv_groups);
}

LanguageModelHead masked_head(const DebertaV2Config& config, const BuildArguments& arguments,
                              const Layer& words) {
  LanguageModelHead head = encoder_lm_head(config, arguments, words);
  head.size = config.words_size();
  if (config.legacy) return head;
  head.tied = true;
  head.names = {.scores = "lm_predictions.lm_head",
                .dense = "lm_predictions.lm_head.dense",
                .norm = "lm_predictions.lm_head.LayerNorm"};
  return head;
}

}  // namespace

std::vector<Task> DebertaV2Config::tasks() {
  return {Task::features, Task::sequence_classification, Task::token_classification,
          Task::question_answering, Task::masked_lm};
}

WeightNames DebertaV2Config::weight_names() const {
  WeightNames names{.ignored = {"embeddings.position_ids", "mask_predictions."}};
  // Files have a table that nothing reads.
  if (!position_biased_input) names.ignored.emplace_back("embeddings.position_embeddings.");
  if (legacy) {
    names.copies = {{"cls.predictions.decoder.weight", "deberta.embeddings.word_embeddings.weight"},
                    {"cls.predictions.decoder.bias", "cls.predictions.bias"}};
  }
  return names;
}

void DebertaV2Config::transfer(ConfigFields& fields) {
  fields.integer("vocab_size", vocab_size, 1, limits::vocabulary);
  encoder_fields(fields, *this);
  fields.integer("type_vocab_size", type_vocab_size, 0, limits::vocabulary);
  transfer_positions(fields, *this);
  transfer_convolution(fields, *this);
  if (fields.reads() || embedding_size)
    fields.integer("embedding_size", embedding_size, 1, limits::width);
  fields.integer("pad_token_id", pad_token_id, -1, limits::vocabulary);
  fields.number("pooler_dropout", pooler_dropout, 0, 1);
  fields.choice("pooler_hidden_act", pooler_hidden_act, hidden_activations());
  fields.only("pooler_hidden_size", hidden_size);
  fields.number("cls_dropout", cls_dropout, 0, 1);
  fields.boolean("legacy", legacy);
  fields.only("attention_head_size", hidden_size / num_attention_heads);
  if (fields.reads() && !legacy && words_size() != hidden_size)
    fields.fail("embedding_size", str(words_size()),
                str("hidden_size, ", hidden_size, ", where legacy is false"));
}

std::vector<InputOptions> DebertaV2Config::inputs() const {
  return text_inputs(vocab_size, type_vocab_size, pad_token_id);
}

std::vector<Symbol> DebertaV2Config::build(const BuildArguments& arguments) const {
  const Layer words = word_embeddings(vocab_size, words_size(), initializer_range, pad_token_id);
  const Layer body = DebertaV2Body{.config = *this, .words = words, .name = body_name};
  const Symbol x = arguments.features(body)[0];
  HeadOptions head{.labels = arguments.labels.count(),
                   .initializer_range = initializer_range,
                   .dropout = hidden_dropout_prob};
  switch (arguments.task) {
    case Task::sequence_classification: {
      const Layer pooler = linear(hidden_size, initializer_range, "pooler.dense",
                                  hidden_activation(pooler_hidden_act));
      head.dropout = cls_dropout.value_or(hidden_dropout_prob);
      return classifier_head(pooler(Dropout{.rate = pooler_dropout}(x[{all, 0}])), head);
    }
    case Task::token_classification:
      return classifier_head(x, head);
    case Task::question_answering:
      head.dropout = 0;
      return span_head(x, head);
    case Task::masked_lm:
      return language_model_head(x, masked_head(*this, arguments, words));
    default:
      return named_features({x});
  }
}

}  // namespace systolic::inline v0
