#include "systolic/transformers/t5/t5_config.h"

#include <cmath>

#include "systolic/base/error.h"
#include "systolic/transformers/architecture/outputs_of.h"
#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/layers/heads.h"
#include "systolic/transformers/layers/layers.h"
#include "systolic/transformers/layers/seq2seq.h"
#include "systolic/transformers/t5/t5_stack.h"

namespace systolic::inline v0 {
namespace {

constexpr const char* gated_prefix = "gated-";
constexpr int64_t most_buckets = 1 << 12, most_distance = 1 << 16;

struct T5Activation {
  std::string name;
  bool gated = false;
};

T5Activation activation_of(const std::string& feed_forward_proj) {
  if (feed_forward_proj == "gated-gelu") return {"gelu_new", true};
  if (feed_forward_proj.starts_with(gated_prefix))
    return {feed_forward_proj.substr(std::string_view(gated_prefix).size()), true};
  return {feed_forward_proj, false};
}

std::vector<std::string> t5_activations() {
  std::vector<std::string> result = hidden_activations();
  for (const std::string& name : hidden_activations()) result.push_back(gated_prefix + name);
  return result;
}

template <const T5Kind& kind>
T5Stack t5_stack(const T5ConfigOf<kind>& config, bool decodes) {
  const T5Activation activation = activation_of(config.feed_forward_proj);
  return {
      .sizes = {.hidden_size = config.d_model,
                .heads = config.num_heads,
                .head_size = config.d_kv,
                .inner_size = config.d_ff,
                .activation = activation.name,
                .gated = activation.gated,
                .dropout = config.dropout_rate,
                .epsilon = config.layer_norm_epsilon,
                .initializer_factor = config.initializer_factor},
      .buckets = {.count = config.relative_attention_num_buckets,
                  .max_distance = config.relative_attention_max_distance,
                  .both_directions = !decodes},
      .layers = decodes ? config.num_decoder_layers.value_or(config.num_layers) : config.num_layers,
      .decodes = decodes,
      .name = decodes ? "decoder" : "encoder"};
}

// Older files say by tie_word_embeddings = false that states are not scaled.
template <const T5Kind& kind>
void transfer_scale(ConfigFields& fields, T5ConfigOf<kind>& config) {
  if (!kind.scales_outputs) return;
  const Config* tied = fields.reads() ? fields.entries().find("tie_word_embeddings") : nullptr;
  if (tied != nullptr && *tied == Config(false)) config.scale_decoder_outputs = false;
  fields.boolean("scale_decoder_outputs", config.scale_decoder_outputs);
}

template <const T5Kind& kind>
int64_t start_token(const T5ConfigOf<kind>& config) {
  return config.decoder_start_token_id.value_or(config.pad_token_id.value_or(0));
}

}  // namespace

template <const T5Kind& kind>
std::string T5ConfigOf<kind>::class_name(Task task) {
  return class_prefix + std::string(class_suffix(task));
}

template <const T5Kind& kind>
WeightNames T5ConfigOf<kind>::weight_names() {
  return {.ignored = {"encoder.embed_tokens.weight", "decoder.embed_tokens.weight",
                      "EncDecAttention.relative_attention_bias."},
          .copies = {{"lm_head.weight", "shared.weight"}}};
}

template <const T5Kind& kind>
void T5ConfigOf<kind>::transfer(ConfigFields& fields) {
  fields.integer("vocab_size", vocab_size, 1, limits::vocabulary);
  fields.integer("d_model", d_model, 1, limits::width);
  fields.integer("d_kv", d_kv, 1, limits::width);
  fields.integer("d_ff", d_ff, 1, limits::width);
  fields.integer("num_layers", num_layers, 1, limits::layers);
  fields.integer("num_decoder_layers", num_decoder_layers, 1, limits::layers);
  fields.integer("num_heads", num_heads, 1, limits::width);
  fields.integer("relative_attention_num_buckets", relative_attention_num_buckets, 4, most_buckets);
  fields.integer("relative_attention_max_distance", relative_attention_max_distance, 1,
                 most_distance);
  // Half of a half of the buckets hold one distance each.
  if (fields.reads() && relative_attention_max_distance <= relative_attention_num_buckets / 2)
    fields.fail(
        "relative_attention_max_distance", str(relative_attention_max_distance),
        str("more than half of relative_attention_num_buckets, ", relative_attention_num_buckets));
  fields.number("dropout_rate", dropout_rate, 0, 1);
  fields.number("layer_norm_epsilon", layer_norm_epsilon, 0, 1);
  fields.number("initializer_factor", initializer_factor, 0, 1e3);
  fields.choice("feed_forward_proj", feed_forward_proj, t5_activations());
  fields.integer("pad_token_id", pad_token_id, -1, limits::vocabulary);
  fields.integer("decoder_start_token_id", decoder_start_token_id, 0, vocab_size - 1);
  for (const auto& [name, id] :
       {std::pair("bos_token_id", &bos_token_id), std::pair("eos_token_id", &eos_token_id)}) {
    if (!fields.reads() && *id) fields.integer(name, *id, -1, limits::vocabulary);
  }
  transfer_scale(fields, *this);
  fields.only("is_encoder_decoder", true);
  fields.only("is_decoder", false);
}

template <const T5Kind& kind>
std::vector<InputOptions> T5ConfigOf<kind>::inputs() const {
  return seq2seq_inputs(vocab_size, pad_token_id);
}

template <const T5Kind& kind>
std::vector<InputOptions> T5ConfigOf<kind>::optional_inputs() const {
  return seq2seq_optional_inputs();
}

template <const T5Kind& kind>
std::optional<InputOfLabels> T5ConfigOf<kind>::input_of_labels(Task task) const {
  return seq2seq_input_of_labels(
      task, {.start = start_token(*this), .padding = pad_token_id.value_or(0)});
}

template <const T5Kind& kind>
GenerationSpec T5ConfigOf<kind>::decoder() const {
  GenerationSpec sizes{.layers = num_decoder_layers.value_or(num_layers),
                       .width = num_heads * d_kv,
                       .vocabulary = vocab_size,
                       .eos_token_id = eos_token_id.value_or(1)};
  sizes.source = SourceSizes{.start_token_id = start_token(*this),
                             .words = "shared",
                             .encoder = "encoder",
                             .decoder = "decoder"};
  return sizes;
}

template <const T5Kind& kind>
std::vector<Symbol> T5ConfigOf<kind>::build(const BuildArguments& arguments) const {
  const Layer words = TiedEmbedding{.tokens = vocab_size,
                                    .size = d_model,
                                    .initializer_range = initializer_factor,
                                    .name = "shared"};
  T5Stack decoder = t5_stack(*this, true);
  const bool writes = arguments.task == Task::seq2seq_lm;
  if (writes && scale_decoder_outputs)
    decoder.output_scale = 1 / std::sqrt(static_cast<double>(d_model));
  const Seq2SeqFeatures features = seq2seq_features(
      arguments.inputs, {words, words}, t5_stack(*this, false), decoder, outputs_of(arguments));
  if (!writes) return named_seq2seq_features(features);
  return token_scores(features.hidden, {.words = words,
                                        .tokens = vocab_size,
                                        .tied = arguments.ties_word_embeddings,
                                        .use_bias = false,
                                        .initializer_range = initializer_factor,
                                        .name = "lm_head"});
}

template struct T5ConfigOf<t5_kind>;
template struct T5ConfigOf<mt5_kind>;

}  // namespace systolic::inline v0
