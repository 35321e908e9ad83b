#include "systolic/text/tokenizer_config.h"

#include <nlohmann/json.hpp>

namespace systolic::inline v0 {
namespace text {
namespace {

// Sorted: an ordered object searches all keys for each one.
using Json = nlohmann::json;

// Larger values of model_max_length mean that there is no limit.
constexpr double longest = 1e9;

// How the file spells a side: "left" or "right".
bool is_left(const JsonView& config, std::string_view name, bool left) {
  if (!config.has(name)) return left;
  const std::string side = config.at(name).string();
  if (side != "left" && side != "right") config.at(name).raise_not("\"left\" or \"right\"");
  return side == "left";
}

// The arrays that a call returns.
std::vector<std::string> input_names(const OlderFolder& folder) {
  std::vector<std::string> names;
  if (folder.config.has("model_input_names")) {
    const JsonView listed = folder.config.at("model_input_names");
    for (size_t i = 0; i < listed.size(); ++i) names.push_back(listed[i].string());
    return names;
  }
  if (!usual_tokens(folder).has_type_ids) return {"input_ids", "attention_mask"};
  return {"input_ids", "token_type_ids", "attention_mask"};
}

}  // namespace

void apply_tokenizer_config(Tokenizer::State& state, const OlderFolder& folder) {
  const JsonView& config = folder.config;
  Json saved = Json::parse(config.dump());
  for (const char* role : token_roles) {
    if (config.has(role)) continue;
    if (const auto token = token_for(folder, role)) saved[role] = token->content;
  }
  state.config = saved.dump();
  state.tokenizer_class = folder.tokenizer_class;
  if (config.has("model_max_length")) {
    const double most = config.at("model_max_length").number();
    if (!(most >= 0)) config.at("model_max_length").raise_not("0 or more");
    if (most < longest) state.model_max_length = static_cast<int64_t>(most);
  }
  const bool cuts_from_left = state.truncation && state.truncation->from_left;
  state.cuts_from_left = is_left(config, "truncation_side", cuts_from_left);
  const bool is_bpe = state.model->type() == "BPE";
  state.input_names = input_names(folder);
  state.cleans_up_spaces = !is_bpe && config.boolean_or("clean_up_tokenization_spaces", false);
  PaddingParameters& padding = state.call_padding;
  const bool pads_left = usual_tokens(folder).pads_left;
  padding.left = is_left(config, "padding_side", pads_left || padding.left);
  padding.type_id = 0;  // whatever the files say
  const auto token = token_for(folder, "pad_token");
  const auto id = token ? state.token_to_id(token->content) : std::nullopt;
  if (id) padding.token = token->content, padding.id = *id;
}

void forget_added_tokens(std::string& config) {
  if (config.empty()) return;
  Json json = Json::parse(config);
  json.erase("added_tokens_decoder");
  config = json.dump();
}

std::optional<std::string> token_of_role(const Tokenizer::State& state, std::string_view role) {
  const PaddingParameters& padding = state.padding ? *state.padding : state.call_padding;
  if (role == "pad_token" && !padding.token.empty()) return padding.token;
  const auto file = JsonFile::parse(state.config.empty() ? "{}" : state.config, "");
  if (file->root().has(role)) return token_from(file->root().at(role)).content;
  const UsualTokens* usual = usual_tokens(state.tokenizer_class);
  if (usual == nullptr)
    usual = usual_tokens(state.token_to_id("[UNK]") ? "BertTokenizer" : "RobertaTokenizer");
  for (size_t i = 0; i < token_roles.size(); ++i) {
    const char* name = usual->tokens[i];
    if (role != token_roles[i] || name == nullptr) continue;
    if (state.token_to_id(name) && state.added.is_special(name)) return name;
  }
  return std::nullopt;
}

std::string tokenizer_config_json(const Tokenizer::State& state) {
  Json config = Json::parse(state.config.empty() ? "{}" : state.config);
  if (!config.contains("tokenizer_class")) config["tokenizer_class"] = "PreTrainedTokenizerFast";
  if (state.model_max_length > 0) config["model_max_length"] = state.model_max_length;
  const PaddingParameters& padding = state.padding ? *state.padding : state.call_padding;
  if (!padding.token.empty()) config["pad_token"] = padding.token;  // over what the file named
  config["padding_side"] = padding.left ? "left" : "right";
  config["model_input_names"] = state.input_names;
  config["truncation_side"] = state.cuts_from_left ? "left" : "right";
  for (const char* role : token_roles) {
    const auto token = token_of_role(state, role);
    if (token && !config.contains(role)) config[role] = *token;
  }
  return config.dump(1) + "\n";
}

}  // namespace text
}  // namespace systolic::inline v0
