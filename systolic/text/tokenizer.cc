#include "systolic/text/tokenizer.h"

#include <algorithm>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/file_system.h"
#include "systolic/io/files/make_folder.h"
#include "systolic/io/files/read_range.h"
#include "systolic/text/called_at.h"
#include "systolic/text/for_each_text.h"
#include "systolic/text/pieces/limits.h"
#include "systolic/text/tokenizer_config.h"
#include "systolic/text/tokenizer_state.h"

namespace systolic::inline v0 {
namespace {

using text::JsonView;

TruncationParameters truncation_from(const JsonView& json) {
  TruncationParameters parameters;
  parameters.max_length = json.at("max_length").id();
  parameters.stride = json.at("stride").id();
  const std::string strategy = json.at("strategy").string();
  if (strategy == "LongestFirst") {
    parameters.strategy = "longest_first";
  } else if (strategy == "OnlyFirst") {
    parameters.strategy = "only_first";
  } else if (strategy == "OnlySecond") {
    parameters.strategy = "only_second";
  } else {
    json.at("strategy").raise_not("LongestFirst, OnlyFirst or OnlySecond");
  }
  parameters.from_left = json.string_or("direction", "Right") == "Left";
  return parameters;
}

PaddingParameters padding_from(const JsonView& json) {
  PaddingParameters parameters;
  const JsonView strategy = json.at("strategy");
  constexpr int32_t most = 1 << 24;  // a row of more would be a damaged file
  if (strategy.is_object()) {
    parameters.length = strategy.at("Fixed").id();
    if (parameters.length > most) strategy.raise_not(str("a length of at most ", most));
  } else if (strategy.string() != "BatchLongest") {
    strategy.raise_not("BatchLongest or {\"Fixed\": length}");
  }
  parameters.pad_to_multiple_of =
      json.has("pad_to_multiple_of") ? json.at("pad_to_multiple_of").id() : 0;
  if (parameters.pad_to_multiple_of > most) json.raise_not(str("a multiple of at most ", most));
  parameters.id = json.at("pad_id").id();
  parameters.type_id = json.at("pad_type_id").id();
  parameters.token = json.at("pad_token").string();
  parameters.left = json.at("direction").string() == "Left";
  return parameters;
}

std::vector<AddedToken> added_tokens_from(const JsonView& json) {
  std::vector<AddedToken> tokens;
  for (size_t i = 0; i < json.size(); ++i) {
    const JsonView token = json[i];
    token.at("id").id();
    tokens.push_back({.content = token.at("content").string(),
                      .single_word = token.at("single_word").boolean(),
                      .lstrip = token.at("lstrip").boolean(),
                      .rstrip = token.at("rstrip").boolean(),
                      .normalized = token.at("normalized").boolean(),
                      .special = token.at("special").boolean()});
  }
  return tokens;
}

// As `transformers` cleans up: no space before signs, short forms joined.
std::string without_odd_spaces(std::string text) {
  constexpr std::pair<std::string_view, std::string_view> rules[] = {
      {" .", "."},     {" ?", "?"},   {" !", "!"},   {" ,", ","},     {" ' ", "'"},
      {" n't", "n't"}, {" 'm", "'m"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"},
  };
  for (const auto& [from, to] : rules) {
    std::string cleaned;
    size_t begin = 0;
    for (size_t at; (at = text.find(from, begin)) != std::string::npos; begin = at + from.size())
      cleaned.append(text, begin, at - begin).append(to);
    text = cleaned.append(text, begin);
  }
  return text;
}

std::string component_json(const text::Component* component) {
  return component == nullptr ? "null" : component->config;
}

std::string truncation_json(const std::optional<TruncationParameters>& truncation) {
  if (!truncation) return "null";
  const char* names[] = {"", "LongestFirst", "OnlyFirst", "OnlySecond"};
  return str(R"({"direction":)", truncation->from_left ? R"("Left")" : R"("Right")",
             R"(,"max_length":)", truncation->max_length, R"(,"strategy":")",
             names[truncation->strategy.kind()], R"(","stride":)", truncation->stride, "}");
}

std::string padding_json(const std::optional<PaddingParameters>& padding) {
  if (!padding) return "null";
  const std::string strategy =
      padding->length == 0 ? R"("BatchLongest")" : str(R"({"Fixed":)", padding->length, "}");
  const std::string multiple =
      padding->pad_to_multiple_of == 0 ? "null" : str(padding->pad_to_multiple_of);
  return str(R"({"strategy":)", strategy, R"(,"direction":)",
             padding->left ? R"("Left")" : R"("Right")", R"(,"pad_to_multiple_of":)", multiple,
             R"(,"pad_id":)", padding->id, R"(,"pad_type_id":)", padding->type_id,
             R"(,"pad_token":)", text::json_quoted(padding->token), "}");
}

Tokenizer tokenizer_from(std::string_view json, const std::string& name) {
  const auto file = text::JsonFile::parse(json, name);
  const JsonView root = file->root();
  if (root.string_or("version", "1.0") != "1.0") root.at("version").raise_not("version 1.0");
  auto state = std::make_shared<Tokenizer::State>();
  if (root.has("normalizer")) state->normalizer = text::make_normalizer(root.at("normalizer"));
  if (root.has("pre_tokenizer")) {
    state->pre_tokenizer = text::make_pre_tokenizer(root.at("pre_tokenizer"));
  }
  state->model = text::make_model(root.at("model"));
  if (root.has("post_processor")) {
    state->post_processor = text::make_post_processor(root.at("post_processor"));
  }
  if (root.has("decoder")) state->decoder = text::make_decoder(root.at("decoder"));
  if (root.has("truncation")) state->truncation = truncation_from(root.at("truncation"));
  if (root.has("padding")) state->padding = padding_from(root.at("padding"));
  if (root.has("added_tokens")) {
    state->added.add(added_tokens_from(root.at("added_tokens")), state->model->vocabulary(),
                     state->normalizer.get());
  }
  state->prepare();
  return Tokenizer(std::move(state));
}

}  // namespace

Tokenizer Tokenizer::from_json(std::string_view json, const std::string& name,
                               SourceLocation location) {
  return text::called_at(location, [&] { return tokenizer_from(json, name); });
}

Tokenizer Tokenizer::from_file(const std::string& path, SourceLocation location) {
  return from_json(io::read_file_of_at_most(path, text::most_vocabulary_bytes, location), path,
                   location);
}

std::string Tokenizer::to_json() const {
  const State& state = *state_;
  return str(R"({"version":"1.0","truncation":)", truncation_json(state.truncation),
             R"(,"padding":)", padding_json(state.padding), R"(,"added_tokens":)",
             state.added.to_json(), R"(,"normalizer":)", component_json(state.normalizer.get()),
             R"(,"pre_tokenizer":)", component_json(state.pre_tokenizer.get()),
             R"(,"post_processor":)", component_json(state.post_processor.get()), R"(,"decoder":)",
             component_json(state.decoder.get()), R"(,"model":)", state.model->to_json(), "}");
}

void Tokenizer::save(const std::string& path, SourceLocation location) const {
  text::called_at(location, [&] { io::write_file(path, to_json(), location); });
}

void Tokenizer::save_pretrained(const std::string& folder, SourceLocation location) const {
  if (folder.empty())
    raise<InvalidArgument>(
        {.what = "save_pretrained to a folder without a name", .location = location});
  io::make_folder(folder, location);
  io::write_file(folder + "/tokenizer.json", to_json(), location);
  io::write_file(folder + "/tokenizer_config.json", text::tokenizer_config_json(*state_), location);
  const std::string chat = folder + text::chat_template_file;
  if (!state_->chat_template.empty()) io::write_file(chat, state_->chat_template, location);
  // These belong to a tokenizer saved there before: they would override what is saved here.
  std::vector<std::string> others{folder + "/special_tokens_map.json",
                                  folder + "/added_tokens.json"};
  if (state_->chat_template.empty()) others.push_back(chat);
  for (const std::string& path : others) {
    if (io::exists(path, location)) io::file_system(folder, location).remove(path, location);
  }
}

std::string Tokenizer::decode(std::span<const int32_t> ids, bool skip_special_tokens,
                              SourceLocation location) const {
  std::vector<std::string> tokens;
  for (const int32_t id : ids) {
    auto token = id_to_token(id);
    if (!token || (skip_special_tokens && state_->added.is_special(*token))) continue;
    tokens.push_back(std::move(*token));
  }
  if (state_->decoder != nullptr) {
    tokens = text::called_at(location, [&] { return state_->decoder->decode(std::move(tokens)); });
  }
  std::string text = join(tokens, state_->decoder == nullptr ? " " : "");
  return state_->cleans_up_spaces ? without_odd_spaces(std::move(text)) : text;
}

std::string Tokenizer::decode(const Literal& ids, bool skip_special_tokens,
                              SourceLocation location) const {
  if (ids.rank() != 1 || !is_integer(ids.dtype())) {
    raise<InvalidArgument>({.what = str("decode of ", ids.dtype(), ids.shape()),
                            .wanted = "integers [length]",
                            .hint = ids.rank() == 2 ? "decode_batch() takes rows" : "",
                            .location = location});
  }
  return decode_batch(ids.reshape({1, ids.size()}), skip_special_tokens, location)[0];
}

std::vector<std::string> Tokenizer::decode_batch(const Literal& ids, bool skip_special_tokens,
                                                 SourceLocation location) const {
  if (ids.rank() != 2 || !is_integer(ids.dtype())) {
    raise<InvalidArgument>({.what = str("decode_batch of ", ids.dtype(), ids.shape()),
                            .wanted = "integers [texts, length]",
                            .location = location});
  }
  std::vector<std::string> texts;
  std::vector<int32_t> row;
  for (int64_t i = 0; i < ids.shape()[0]; ++i) {
    row.clear();
    for (int64_t j = 0; j < ids.shape()[1]; ++j) {
      const int64_t id = ids.integer_at(i * ids.shape()[1] + j);
      if (id >= 0 && id <= INT32_MAX) row.push_back(static_cast<int32_t>(id));
    }
    texts.push_back(decode(row, skip_special_tokens, location));
  }
  return texts;
}

std::optional<int32_t> Tokenizer::token_to_id(std::string_view token) const {
  return state_->token_to_id(token);
}

std::optional<std::string> Tokenizer::id_to_token(int32_t id) const {
  if (const std::string* token = state_->added.text_of(id)) return *token;
  const std::string* token = state_->model->vocabulary().token_of(id);
  return token == nullptr ? std::nullopt : std::optional(*token);
}

std::vector<int32_t> Tokenizer::all_special_ids() const {
  std::vector<int32_t> ids;
  for (const auto& [id, token] : state_->added.by_id()) {
    if (token.special) ids.push_back(id);
  }
  return ids;
}

size_t Tokenizer::vocab_size() const {
  size_t size = state_->model->vocabulary().size();
  for (const auto& [id, token] : state_->added.by_id()) {
    size += !state_->model->vocabulary().id_of(token.content);
  }
  return size;
}

std::optional<std::string> Tokenizer::special_token(std::string_view role,
                                                    SourceLocation location) const {
  const bool known = std::find(text::token_roles.begin(), text::token_roles.end(), role) !=
                     text::token_roles.end();
  if (!known) {
    raise<InvalidArgument>({.what = str("no special token is called '", role, "'"),
                            .wanted = str("one of ", join(text::token_roles)),
                            .location = location});
  }
  return text::token_of_role(*state_, role);
}

std::optional<int32_t> Tokenizer::special_token_id(std::string_view role,
                                                   SourceLocation location) const {
  const std::optional<std::string> token = special_token(role, location);
  return token ? token_to_id(*token) : std::nullopt;
}

size_t Tokenizer::add_special_tokens(AddedTokenList tokens, SourceLocation location) {
  for (AddedToken& token : tokens) token.special = true, token.normalized = false;
  return add_tokens(tokens, location);
}

size_t Tokenizer::add_tokens(const AddedTokenList& tokens, SourceLocation location) {
  return text::called_at(location, [&] {
    const size_t added =
        state_->added.add(tokens, state_->model->vocabulary(), state_->normalizer.get());
    state_->prepare();
    return added;
  });
}

namespace {

void check_count(const char* what, int64_t value, SourceLocation location) {
  if (value >= 0 && value <= text::most_tokens) return;
  raise<InvalidArgument>({.what = str(what, " = ", value),
                          .wanted = str("0 to ", text::most_tokens),
                          .location = location});
}

}  // namespace

void Tokenizer::set_truncation(TruncationParameters truncation, SourceLocation location) {
  check_count("truncation's max_length", truncation.max_length, location);
  check_count("truncation's stride", truncation.stride, location);
  if (truncation.strategy.kind() == TruncationChoice::left_out) truncation.strategy = true;
  if (truncation.strategy.kind() == TruncationChoice::do_not_truncate) return no_truncation();
  text::called_at(location, [&] { state_->check_stride({.truncation = &truncation}); });
  state_->truncation = std::move(truncation);
}
void Tokenizer::no_truncation() { state_->truncation.reset(); }
void Tokenizer::set_padding(PaddingParameters padding, SourceLocation location) {
  check_count("padding's length", padding.length, location);
  check_count("padding's pad_to_multiple_of", padding.pad_to_multiple_of, location);
  if (padding.id != PaddingParameters::of_token) check_count("padding's id", padding.id, location);
  if (padding.token.empty()) {
    const auto known = state_->known_padding();
    padding.token = known ? known->token : "[PAD]";
  }
  if (padding.id == PaddingParameters::of_token)
    padding.id = token_to_id(padding.token).value_or(0);
  state_->padding = std::move(padding);
}
void Tokenizer::no_padding() {
  if (state_->padding) state_->call_padding = *std::exchange(state_->padding, std::nullopt);
}
void Tokenizer::set_padding_side(SideChoice side) {
  state_->call_padding.left = side.is_left();
  if (state_->padding) state_->padding->left = side.is_left();
}
void Tokenizer::set_truncation_side(SideChoice side) {
  state_->cuts_from_left = side.is_left();
  if (state_->truncation) state_->truncation->from_left = side.is_left();
}
PaddingParameters Tokenizer::padding(SourceLocation location) const {
  if (const auto known = state_->known_padding()) return *known;
  raise<InvalidArgument>({.what = "the tokenizer has no padding token",
                          .wanted = "one, as texts of different lengths share a batch",
                          .hint = "tokenizer.set_pad_token(\"<|endoftext|>\"), as GPT-2's texts "
                                  "end; or another token of the vocabulary",
                          .location = location});
}
void Tokenizer::set_pad_token(std::string_view token, SourceLocation location) {
  const auto id = token_to_id(token);
  if (!id) {
    raise<NotFound>({.what = str("the vocabulary has no token '", token, "'"),
                     .hint = "name one that the model knows: for a token that add_tokens() adds it "
                             "has no vector",
                     .location = location});
  }
  const auto set = [&](PaddingParameters& padding) { padding.token = token, padding.id = *id; };
  set(state_->call_padding);
  if (state_->padding) set(*state_->padding);
}
void Tokenizer::set_model_max_length(int64_t tokens, SourceLocation location) {
  check_count("model_max_length", tokens, location);
  state_->model_max_length = tokens;
}
int64_t Tokenizer::model_max_length() const { return state_->model_max_length; }
const std::vector<std::string>& Tokenizer::model_input_names() const { return state_->input_names; }

}  // namespace systolic::inline v0
