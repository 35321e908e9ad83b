#include "systolic/text/tokenizer_config.h"

#include <nlohmann/json.hpp>

namespace systolic::inline v0 {
namespace text {
namespace {

// Larger numbers of model_max_length say that there is no limit.
constexpr double longest = 1e9;

// What a side is in the file: "left" or "right".
bool is_left(const JsonView& config, std::string_view name, bool left) {
  if (!config.has(name)) return left;
  const std::string side = config.at(name).string();
  if (side != "left" && side != "right") config.at(name).raise_not("\"left\" or \"right\"");
  return side == "left";
}

// The usual names of tokens by what they are for, BERT's and RoBERTa's.
constexpr struct {
  const char* role;
  const char* names[2];
} usual_tokens[] = {{"unk_token", {"[UNK]", "<unk>"}}, {"sep_token", {"[SEP]", "</s>"}},
                    {"cls_token", {"[CLS]", "<s>"}},   {"mask_token", {"[MASK]", "<mask>"}},
                    {"bos_token", {"<s>", "[BOS]"}},   {"eos_token", {"</s>", "[EOS]"}}};

}  // namespace

std::string token_name(const JsonView& config, std::string_view name, std::string_view usual) {
  if (!config.has(name)) return std::string(usual);
  const JsonView value = config.at(name);
  return value.is_object() ? value.at("content").string() : value.string();
}

void apply_tokenizer_config(Tokenizer::State& state, const JsonView& config,
                            const JsonView& special_tokens) {
  for (const JsonView& file : {config, special_tokens}) {
    if (!file.is_object()) file.raise_not("an object");
  }
  state.config = config.dump();
  if (config.has("model_max_length") && config.at("model_max_length").number() < longest)
    state.model_max_length = static_cast<int64_t>(config.at("model_max_length").number());
  const bool cuts_from_left = state.truncation && state.truncation->from_left;
  state.cuts_from_left = is_left(config, "truncation_side", cuts_from_left);
  PaddingParameters& padding = state.call_padding;
  const bool xlnet = config.string_or("tokenizer_class", "").starts_with("XLNet");
  padding.left = is_left(config, "padding_side", xlnet || padding.left);
  if (config.has("pad_token_type_id")) padding.type_id = config.at("pad_token_type_id").id();
  const std::string usual = token_name(special_tokens, "pad_token", "");
  const std::string token = token_name(config, "pad_token", usual);
  if (const auto id = state.token_to_id(token)) padding.token = token, padding.id = *id;
}

std::string tokenizer_config_json(const Tokenizer::State& state) {
  nlohmann::ordered_json config =
      nlohmann::ordered_json::parse(state.config.empty() ? "{}" : state.config);
  if (!config.contains("tokenizer_class")) config["tokenizer_class"] = "PreTrainedTokenizerFast";
  if (state.model_max_length > 0) config["model_max_length"] = state.model_max_length;
  if (const auto padding = state.known_padding()) {
    config["pad_token"] = padding->token;
    config["pad_token_type_id"] = padding->type_id;
    config["padding_side"] = padding->left ? "left" : "right";
  }
  config["truncation_side"] = state.cuts_from_left ? "left" : "right";
  for (const auto& [role, names] : usual_tokens) {
    for (const char* name : names) {
      const bool known = state.token_to_id(name) && state.added.is_special(name);
      if (known && !config.contains(role)) config[role] = name;
    }
  }
  return config.dump(1) + "\n";
}

}  // namespace text
}  // namespace systolic::inline v0
