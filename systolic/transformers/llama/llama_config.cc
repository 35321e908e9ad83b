#include "systolic/transformers/llama/llama_config.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/transformers/config/layer_types.h"
#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/layers/heads.h"
#include "systolic/transformers/layers/layers.h"
#include "systolic/transformers/llama/llama_body.h"

namespace systolic::inline v0 {
namespace {

template <class T>
constexpr bool has_field = !std::is_same_v<T, NoField>;

template <class Config>
const std::string& activation_of(const Config& config) {
  if constexpr (has_field<decltype(config.hidden_activation)>) {
    return config.hidden_activation;
  } else {
    return config.hidden_act;
  }
}

template <class Config>
int64_t head_size(const Config& config) {
  const int64_t even = config.hidden_size / config.num_attention_heads;
  if constexpr (has_field<decltype(config.head_dim)>) return config.head_dim.value_or(even);
  return even;
}

template <class Config>
int64_t key_value_heads(const Config& config) {
  return config.num_key_value_heads.value_or(config.num_attention_heads);
}

template <const DecoderKind& kind>
void transfer_sizes(ConfigFields& fields, LlamaConfigOf<kind>& config) {
  fields.integer("vocab_size", config.vocab_size, 1, limits::vocabulary);
  fields.integer("hidden_size", config.hidden_size, 1, limits::width);
  fields.integer("intermediate_size", config.intermediate_size, 1, limits::width);
  fields.integer("num_hidden_layers", config.num_hidden_layers, 0, limits::layers);
  fields.integer("num_attention_heads", config.num_attention_heads, 1, limits::width);
  fields.integer("num_key_value_heads", config.num_key_value_heads, 1, limits::width);
  if constexpr (kind.has_head_dim) fields.integer("head_dim", config.head_dim, 1, limits::width);
  fields.integer("max_position_embeddings", config.max_position_embeddings, 1, limits::positions);
  fields.number("initializer_range", config.initializer_range, 0, 1);
  fields.number("attention_dropout", config.attention_dropout, 0, 1);
  if (fields.reads() && config.num_attention_heads % key_value_heads(config) != 0)
    fields.fail("num_key_value_heads", str(key_value_heads(config)),
                str("a divisor of num_attention_heads, ", config.num_attention_heads));
  bool has_own_size = false;
  if constexpr (kind.has_head_dim) has_own_size = config.head_dim.has_value();
  if (!has_own_size)
    fields.check_heads("hidden_size", config.hidden_size, "num_attention_heads",
                       config.num_attention_heads);
}

template <const DecoderKind& kind>
void transfer_parts(ConfigFields& fields, LlamaConfigOf<kind>& config) {
  constexpr double most_cap = 1e6;
  if constexpr (kind.has_hidden_activation) {
    fields.choice("hidden_activation", config.hidden_activation, hidden_activations());
  } else {
    fields.choice("hidden_act", config.hidden_act, hidden_activations());
  }
  if constexpr (kind.is_phi) {
    fields.number("layer_norm_eps", config.layer_norm_eps, 0, 1);
    fields.number("embd_pdrop", config.embd_pdrop, 0, 1);
    fields.number("resid_pdrop", config.resid_pdrop, 0, 1);
    fields.boolean("qk_layernorm", config.qk_layernorm);
  } else {
    fields.number("rms_norm_eps", config.rms_norm_eps, 0, 1);
  }
  if constexpr (kind.has_attention_bias) fields.boolean("attention_bias", config.attention_bias);
  if constexpr (kind.has_mlp_bias) fields.boolean("mlp_bias", config.mlp_bias);
  if constexpr (kind.has_query_pre_attn_scalar)
    fields.integer("query_pre_attn_scalar", config.query_pre_attn_scalar, 1, limits::width);
  if constexpr (kind.attention_cap != 0)
    fields.number("attn_logit_softcapping", config.attn_logit_softcapping, 1e-3, most_cap);
  if constexpr (kind.has_caps)
    fields.number("final_logit_softcapping", config.final_logit_softcapping, 1e-3, most_cap);
  if constexpr (kind.is_gemma) fields.only("use_bidirectional_attention", false);
}

// A value beside rope_parameters, where older files have it. There it counts if these lack it.
void read_beside(ConfigFields& fields, const char* name, double& value, double least) {
  std::optional<double> beside;
  fields.number(name, beside, least, 1e15);
  if (!beside) return;
  const Config* inside = fields.entries().find("rope_parameters");
  const Config* within = inside != nullptr && inside->is_map() ? inside->find(name) : nullptr;
  if (within != nullptr && !(within->is_number() && within->number() == *beside))
    fields.fail(name, str(*beside), str(within->text().substr(0, 40), ", as rope_parameters says"));
  value = *beside;
}

// Present files have "rope_parameters", older ones "rope_scaling" and what it scales beside it.
template <const DecoderKind& kind>
void transfer_rope(ConfigFields& fields, LlamaConfigOf<kind>& config) {
  RopeParameters& rope = config.rope_parameters;
  const auto flat = [&](ConfigFields& inside) { rope.transfer(inside); };
  const auto by_layers = [&](ConfigFields& inside) {
    inside.object(layer_types::full_attention, flat);
    if constexpr (kind.has_local_rope) {
      inside.object(layer_types::sliding_attention,
                    [&](ConfigFields& local) { config.local_rope_parameters.transfer(local); });
    }
  };
  if (fields.reads()) {
    read_beside(fields, "rope_theta", rope.rope_theta, 1);
    double part = rope.partial_rotary_factor.value_or(1);
    const double before = part;
    read_beside(fields, "partial_rotary_factor", part, 0);
    if (part != before) rope.partial_rotary_factor = part;
    if constexpr (kind.has_local_rope)
      read_beside(fields, "rope_local_base_freq", config.local_rope_parameters.rope_theta, 1);
  }
  if constexpr (kind.has_local_rope) {
    fields.object("rope_parameters", by_layers);
  } else {
    fields.object("rope_parameters", flat);
  }
  if (fields.reads()) fields.object("rope_scaling", flat);
  const int64_t size = head_size(config);
  if (fields.reads() && (size % 2 != 0 || rotated_size(rope, size) == 0))
    fields.fail("num_attention_heads", str("heads of ", size, " numbers"),
                "an even size: positions turn pairs of them, one at least");
}

constexpr int64_t usual_unrotated_interval = 4;

template <const DecoderKind& kind>
std::vector<std::string> layer_types_of(const LlamaConfigOf<kind>& config, int64_t period) {
  std::vector<std::string> types;
  for (int64_t i = 0; i < config.num_hidden_layers; ++i) {
    bool cut = (i + 1) % std::max<int64_t>(period, 1) != 0;
    if constexpr (kind.windows == Windows::last)
      cut = config.use_sliding_window && config.sliding_window && i >= config.max_window_layers;
    types.emplace_back(cut ? layer_types::sliding_attention : layer_types::full_attention);
  }
  return types;
}

template <const DecoderKind& kind>
void check_layers(ConfigFields& fields, const LlamaConfigOf<kind>& config, const char* name,
                  size_t count) {
  if (fields.reads() && count != static_cast<size_t>(config.num_hidden_layers))
    fields.fail(name, str(count, " layers"),
                str("one for each of num_hidden_layers, ", config.num_hidden_layers));
}

template <const DecoderKind& kind>
void transfer_windows(ConfigFields& fields, LlamaConfigOf<kind>& config) {
  if constexpr (!LlamaConfigOf<kind>::has_windows) return;
  if constexpr (LlamaConfigOf<kind>::has_windows)
    fields.integer("sliding_window", config.sliding_window, 1, limits::positions);
  if constexpr (kind.windows == Windows::last) {
    fields.boolean("use_sliding_window", config.use_sliding_window);
    fields.integer("max_window_layers", config.max_window_layers, 0, limits::layers);
  }
  if constexpr (LlamaConfigOf<kind>::has_layer_types) {
    int64_t period = kind.window_period;
    if (fields.reads() && kind.has_local_rope)
      fields.integer("sliding_window_pattern", period, 1, limits::layers);
    std::vector<std::string> types =
        config.layer_types.empty() ? layer_types_of(config, period) : config.layer_types;
    if (!types.empty())
      fields.texts("layer_types", types,
                   {layer_types::full_attention, layer_types::sliding_attention});
    check_layers(fields, config, "layer_types", types.size());
    bool has_window = config.sliding_window.has_value();
    if constexpr (kind.windows == Windows::last) has_window &= config.use_sliding_window;
    const bool is_cut =
        std::find(types.begin(), types.end(), layer_types::sliding_attention) != types.end();
    if (fields.reads() && is_cut && !has_window)
      fields.fail("layer_types", str("\"", layer_types::sliding_attention, "\""),
                  "a sliding_window for it");
    config.layer_types = std::move(types);
  }
}

// 1 for each layer that turns its positions: all but each `interval`th.
template <const DecoderKind& kind>
std::vector<int64_t> turned_layers(const LlamaConfigOf<kind>& config, int64_t interval) {
  std::vector<int64_t> turned;
  for (int64_t i = 0; i < config.num_hidden_layers; ++i)
    turned.push_back((i + 1) % interval != 0 ? 1 : 0);
  return turned;
}

template <const DecoderKind& kind>
void transfer_unrotated(ConfigFields& fields, LlamaConfigOf<kind>& config) {
  if constexpr (kind.has_unrotated_layers) {
    int64_t interval = usual_unrotated_interval;
    if (fields.reads()) fields.integer("no_rope_layer_interval", interval, 1, limits::layers);
    std::vector<int64_t> turned =
        config.no_rope_layers.empty() ? turned_layers(config, interval) : config.no_rope_layers;
    if (!turned.empty()) fields.integers("no_rope_layers", turned, 0, 1);
    check_layers(fields, config, "no_rope_layers", turned.size());
    config.no_rope_layers = std::move(turned);
    fields.only("use_sliding_window", false);
  }
}

template <const DecoderKind& kind>
void transfer_tokens(ConfigFields& fields, LlamaConfigOf<kind>& config) {
  fields.integer("pad_token_id", config.pad_token_id, -1, limits::vocabulary);
  if (fields.reads() && config.pad_token_id && *config.pad_token_id >= config.vocab_size)
    fields.fail("pad_token_id", str(*config.pad_token_id),
                str("a token, below vocab_size, ", config.vocab_size));
  // Written where they are set: files may have lists, which generate() reads.
  for (const auto& [name, id] : {std::pair("bos_token_id", &config.bos_token_id),
                                 std::pair("eos_token_id", &config.eos_token_id)}) {
    if (!fields.reads() && *id) fields.integer(name, *id, -1, limits::vocabulary);
  }
}

template <const DecoderKind& kind>
LlamaSizes sizes_of(const LlamaConfigOf<kind>& config) {
  LlamaSizes sizes{.hidden_size = config.hidden_size,
                   .heads = config.num_attention_heads,
                   .key_value_heads = key_value_heads(config),
                   .head_size = head_size(config),
                   .intermediate_size = config.intermediate_size,
                   .activation = activation_of(config),
                   .initializer_range = config.initializer_range,
                   .attention_dropout = config.attention_dropout,
                   .projection_bias = kind.projection_bias || kind.is_phi,
                   .output_bias = kind.is_phi,
                   .mlp_bias = kind.is_phi,
                   .gated = !kind.is_phi,
                   .layer_norm = kind.is_phi,
                   .norm_adds_one = kind.is_gemma,
                   .normalizes_heads = kind.normalizes_heads,
                   .normalizes_after = kind.normalizes_after,
                   .parallel = kind.is_phi};
  // What Gemma's first files call gelu is its approximation.
  if (kind.is_gemma && !kind.has_hidden_activation && sizes.activation == "gelu")
    sizes.activation = "gelu_pytorch_tanh";
  if constexpr (kind.is_phi) {
    sizes.epsilon = config.layer_norm_eps;
    sizes.embedding_dropout = config.embd_pdrop;
    sizes.output_dropout = config.resid_pdrop;
    sizes.normalizes_heads = config.qk_layernorm;
    sizes.names = {.output = "self_attn.dense",
                   .wide = "mlp.fc1",
                   .narrow = "mlp.fc2",
                   .query_norm = "self_attn.q_layernorm",
                   .key_norm = "self_attn.k_layernorm"};
  } else {
    sizes.epsilon = config.rms_norm_eps;
  }
  if constexpr (kind.has_attention_bias) {
    sizes.projection_bias = sizes.output_bias = config.attention_bias;
  }
  if constexpr (kind.has_mlp_bias) sizes.mlp_bias = config.mlp_bias;
  if constexpr (kind.has_query_pre_attn_scalar)
    sizes.attention_scale = 1 / std::sqrt(static_cast<double>(config.query_pre_attn_scalar));
  if constexpr (kind.attention_cap != 0) sizes.attention_cap = config.attn_logit_softcapping;
  return sizes;
}

template <const DecoderKind& kind>
std::vector<RopeFrequencies> frequencies_of(const LlamaConfigOf<kind>& config) {
  const int64_t size = head_size(config), positions = config.max_position_embeddings;
  std::vector<RopeFrequencies> result{rope_frequencies(config.rope_parameters, size, positions)};
  if constexpr (kind.has_local_rope)
    result.push_back(rope_frequencies(config.local_rope_parameters, size, positions));
  return result;
}

template <const DecoderKind& kind>
LlamaLayerPlan plan_of(const LlamaConfigOf<kind>& config, size_t layer) {
  LlamaLayerPlan plan;
  if constexpr (kind.windows == Windows::all) plan.window = config.sliding_window;
  if constexpr (LlamaConfigOf<kind>::has_layer_types) {
    if (config.layer_types.at(layer) == layer_types::sliding_attention) {
      plan.window = config.sliding_window;
      if (kind.has_local_rope) plan.rotation = 1;
    }
  }
  if constexpr (kind.has_unrotated_layers) {
    if (config.no_rope_layers.at(layer) == 0) plan.rotation.reset();
  }
  return plan;
}

void check_one_each(const char* name, size_t count, int64_t layers) {
  if (count == static_cast<size_t>(layers)) return;
  raise<InvalidArgument>({.what = str(name, " says what ", count, " layers are"),
                          .wanted = str("one for each of num_hidden_layers, ", layers),
                          .hint = "leave it empty for the model's usual ones"});
}

// With what a program left to the model's usual order, as a file's reader fills it in.
template <const DecoderKind& kind>
LlamaConfigOf<kind> completed(LlamaConfigOf<kind> config) {
  if constexpr (LlamaConfigOf<kind>::has_layer_types) {
    if (config.layer_types.empty()) config.layer_types = layer_types_of(config, kind.window_period);
    check_one_each("layer_types", config.layer_types.size(), config.num_hidden_layers);
  }
  if constexpr (kind.has_unrotated_layers) {
    if (config.no_rope_layers.empty())
      config.no_rope_layers = turned_layers(config, usual_unrotated_interval);
    check_one_each("no_rope_layers", config.no_rope_layers.size(), config.num_hidden_layers);
  }
  return config;
}

template <const DecoderKind& kind>
LlamaBody body_of(const LlamaConfigOf<kind>& given, const Layer& words) {
  const LlamaConfigOf<kind> config = completed(given);
  LlamaBody body{.sizes = sizes_of(config),
                 .words = words,
                 .frequencies = frequencies_of(config),
                 .layers = {},
                 .positions = config.max_position_embeddings,
                 .frequencies_grow = config.rope_parameters.rope_type == "dynamic",
                 .name = LlamaConfigOf<kind>::body_name};
  if (kind.is_gemma) body.word_scale = std::sqrt(static_cast<double>(config.hidden_size));
  if (kind.is_phi) body.last_norm = "final_layernorm";
  for (int64_t i = 0; i < config.num_hidden_layers; ++i)
    body.layers.push_back(plan_of(config, static_cast<size_t>(i)));
  return body;
}

template <const DecoderKind& kind>
std::optional<double> final_cap(const LlamaConfigOf<kind>& config) {
  if constexpr (kind.has_caps) return config.final_logit_softcapping;
  return {};
}

}  // namespace

template <const DecoderKind& kind>
std::string LlamaConfigOf<kind>::class_name(Task task) {
  const char* prefix = task == Task::causal_lm ? kind.class_prefix : kind.other_class_prefix;
  return prefix + std::string(class_suffix(task));
}

template <const DecoderKind& kind>
std::vector<Task> LlamaConfigOf<kind>::tasks() {
  std::vector<Task> result{Task::features, Task::causal_lm, Task::sequence_classification};
  if (kind.has_token_classification) result.push_back(Task::token_classification);
  return result;
}

template <const DecoderKind& kind>
WeightNames LlamaConfigOf<kind>::weight_names() {
  return {.ignored = {".rotary_emb.inv_freq"},
          .copies = {{"lm_head.weight", "model.embed_tokens.weight"}}};
}

template <const DecoderKind& kind>
void LlamaConfigOf<kind>::transfer(ConfigFields& fields) {
  transfer_sizes(fields, *this);
  transfer_parts(fields, *this);
  transfer_rope(fields, *this);
  transfer_windows(fields, *this);
  transfer_unrotated(fields, *this);
  transfer_tokens(fields, *this);
}

template <const DecoderKind& kind>
std::vector<InputOptions> LlamaConfigOf<kind>::inputs() const {
  return text_inputs(vocab_size, 0, pad_token_id);
}

template <const DecoderKind& kind>
GenerationSpec LlamaConfigOf<kind>::decoder() const {
  GenerationSpec sizes{.layers = num_hidden_layers,
                       .width = key_value_heads(*this) * head_size(*this),
                       .vocabulary = vocab_size,
                       .eos_token_id = eos_token_id.value_or(kind.eos_token_id)};
  if (final_cap(*this)) sizes.head.emplace_back(logit_cap_name);
  return sizes;
}

template <const DecoderKind& kind>
std::vector<Symbol> LlamaConfigOf<kind>::build(const BuildArguments& arguments) const {
  const Layer words = TiedEmbedding{.tokens = vocab_size,
                                    .size = hidden_size,
                                    .padding = pad_token_id,
                                    .initializer_range = initializer_range,
                                    .name = "embed_tokens"};
  const Symbol x = arguments.features(body_of(*this, words))[0];
  HeadOptions head{.labels = arguments.labels.count(),
                   .initializer_range = initializer_range,
                   .dropout = 0.1,
                   .name = "score"};
  switch (arguments.task) {
    case Task::causal_lm:
      return token_scores(x, {.words = words,
                              .tokens = vocab_size,
                              .tied = arguments.ties_word_embeddings,
                              .use_bias = kind.is_phi,
                              .initializer_range = initializer_range,
                              .name = "lm_head",
                              .cap = final_cap(*this)});
    case Task::sequence_classification:
      return last_token_head(x, arguments.inputs, pad_token_id, head);
    case Task::token_classification:
      return classifier_head(x, head);
    default:
      return named_features({x});
  }
}

template struct LlamaConfigOf<decoder_kinds::llama>;
template struct LlamaConfigOf<decoder_kinds::smollm3>;
template struct LlamaConfigOf<decoder_kinds::mistral>;
template struct LlamaConfigOf<decoder_kinds::qwen2>;
template struct LlamaConfigOf<decoder_kinds::qwen3>;
template struct LlamaConfigOf<decoder_kinds::gemma>;
template struct LlamaConfigOf<decoder_kinds::gemma2>;
template struct LlamaConfigOf<decoder_kinds::gemma3>;
template struct LlamaConfigOf<decoder_kinds::phi>;

}  // namespace systolic::inline v0
