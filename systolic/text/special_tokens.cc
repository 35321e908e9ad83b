#include "systolic/text/special_tokens.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace text {
namespace {

constexpr const char* all_tokens = "added_tokens_decoder";

// In the order of token_roles.
constexpr std::array<const char*, 7> mpnet_tokens{"<s>",   "</s>", "[UNK]", "</s>",
                                                  "<pad>", "<s>",  "<mask>"},
    deberta_tokens{"[CLS]", "[SEP]", "[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"};

AddedToken special_token(std::string content) {
  return {.content = std::move(content), .special = true};
}

size_t index_of(std::string_view role) {
  return static_cast<size_t>(std::find(token_roles.begin(), token_roles.end(), role) -
                             token_roles.begin());
}

std::vector<AddedToken> listed(const JsonView& json) {
  std::vector<AddedToken> tokens;
  if (json.is_object()) {
    json.for_each_member(
        [&](const std::string&, const JsonView& token) { tokens.push_back(token_from(token)); });
    return tokens;
  }
  for (size_t i = 0; i < json.size(); ++i) tokens.push_back(token_from(json[i]));
  return tokens;
}

// What earlier files added, by id.
std::map<int64_t, AddedToken> decoder_of(const JsonView& config) {
  std::map<int64_t, AddedToken> tokens;
  config.at(all_tokens).for_each_member([&](const std::string& id, const JsonView& token) {
    int64_t number = 0;
    if (!parse_number(id, number) || number < 0) token.raise_not("under the token's id");
    tokens[number] = token_from(token);
  });
  return tokens;
}

}  // namespace

const UsualTokens* usual_tokens(std::string_view tokenizer_class) {
  static constexpr std::array<const char*, 7> roberta{"<s>",   "</s>", "<unk>", "</s>",
                                                      "<pad>", "<s>",  "<mask>"};
  static constexpr const char *end = "<|endoftext|>", *none = nullptr;
  static constexpr std::array<const char*, 7> bert{none,    none,    "[UNK]", "[SEP]",
                                                   "[PAD]", "[CLS]", "[MASK]"};
  static constexpr const char *one = "cls $A sep", *two = "cls $A sep $B:1 sep:1";
  static constexpr std::pair<const char*, UsualTokens> classes[] = {
      {"BertTokenizer", {bert, "WordPiece", true, one, two}},
      {"DistilBertTokenizer", {bert, "WordPiece", false, one, two}},
      {"RobertaTokenizer", {roberta, "BPE"}},
      {"MPNetTokenizer", {mpnet_tokens, "WordPiece", false, none, none, true}},
      {"DebertaV2Tokenizer", {deberta_tokens, "Unigram", true, one, two}},
      {"XLMRobertaTokenizer", {roberta, "Unigram", false, "bos $A eos", "bos $A eos eos $B eos"}},
      {"GPT2Tokenizer", {{end, end, end, none, none, none, none}, "BPE"}},
      {"AlbertTokenizer",
       {{"[CLS]", "[SEP]", "<unk>", "[SEP]", "<pad>", "[CLS]", "[MASK]"},
        "Unigram",
        false,
        one,
        two}},
      {"BigBirdTokenizer",
       {{"<s>", "</s>", "<unk>", "[SEP]", "<pad>", "[CLS]", "[MASK]"},
        "Unigram",
        false,
        one,
        two,
        true}},
      {"XLNetTokenizer",
       {{"<s>", "</s>", "<unk>", "<sep>", "<pad>", "<cls>", "<mask>"},
        "Unigram",
        false,
        "$A sep cls:2",
        "$A sep $B:1 sep:1 cls:2",
        true,
        true}},
      {"LlamaTokenizer",
       {.tokens = {"<s>", "</s>", "<unk>", none, none, none, none},
        .model = "BPE",
        .pads_left = true}},
      {"GemmaTokenizer",
       {.tokens = {"<bos>", "<eos>", "<unk>", none, "<pad>", none, "<mask>"},
        .model = "BPE",
        .pads_left = true}},
      {"CLIPTokenizer",
       {.tokens = {"<|startoftext|>", end, end, none, end, none, none}, .model = "BPE"}}};
  for (const auto& [name, tokens] : classes) {
    if (name == tokenizer_class) return &tokens;
  }
  return nullptr;
}

const UsualTokens& usual_tokens(const OlderFolder& folder) {
  static constexpr UsualTokens none{};
  const std::string named = folder.config.string_or("tokenizer_class", "");
  const UsualTokens* usual = usual_tokens(folder.tokenizer_class);
  const bool of_none = named == "PreTrainedTokenizerFast" || named == "TokenizersBackend";
  return usual == nullptr || of_none ? none : *usual;
}

AddedToken token_from(const JsonView& json) {
  if (!json.is_object()) return special_token(json.string());
  AddedToken token = special_token(json.at("content").string());
  token.special = json.boolean_or("special", true);
  token.normalized = json.boolean_or("normalized", !token.special);
  token.single_word = json.boolean_or("single_word", false);
  token.lstrip = json.boolean_or("lstrip", false);
  token.rstrip = json.boolean_or("rstrip", false);
  return token;
}

// special_tokens_map.json counts where the configuration does not list all tokens by their ids.
std::optional<AddedToken> token_for(const OlderFolder& folder, const char* role) {
  const bool is_listed = folder.config.has(all_tokens);
  if (!is_listed && folder.special_tokens.has(role))
    return token_from(folder.special_tokens.at(role));
  if (folder.config.has(role)) return token_from(folder.config.at(role));
  return std::nullopt;
}

SpecialTokens::SpecialTokens(const OlderFolder& folder, const UsualTokens& usual, AddedTokens known)
    : added_(std::move(known)) {
  std::map<int64_t, AddedToken> earlier(added_.by_id().begin(), added_.by_id().end());
  const bool listed_in_config = folder.config.has(all_tokens);
  if (listed_in_config) earlier = decoder_of(folder.config);
  for (size_t i = 0; i < named_.size(); ++i) {
    const char* role = token_roles[i];
    if (usual.tokens[i] != nullptr) named_[i] = special_token(usual.tokens[i]);
    if (i + 1 == named_.size()) named_[i].lstrip = usual.mask_takes_space;
    named_[i] = token_for(folder, role).value_or(named_[i]);
    for (const auto& [id, token] : earlier) {
      if (token.content == named_[i].content) named_[i] = token;
    }
    named_[i].special = true;
  }
  name_others(folder);
  std::unordered_set<std::string> special;
  for (const AddedToken& token : named_) special.insert(token.content);
  for (const AddedToken& token : additional_) special.insert(token.content);
  folder.added_tokens.for_each_member([&](const std::string& content, const JsonView& id) {
    const bool is_special = special.count(content) != 0;
    const AddedToken token{.content = content, .special = is_special};
    if (!listed_in_config) earlier[id.id()] = token;
  });
  for (auto& [id, token] : earlier) earlier_.push_back(std::move(token));
}

// Tokens of other roles, and those without one: from one list of the configuration, and from one of
// special_tokens_map.json where that file counts.
void SpecialTokens::name_others(const OlderFolder& folder) {
  folder.config.for_each_member([&](const std::string& name, const JsonView& token) {
    const bool named = index_of(name) < token_roles.size();
    if (!named && name.ends_with("_token") && token.is_string())
      others_.push_back(token_from(token));
  });
  const auto add_list = [&](const JsonView& file) {
    for (const char* name : {"extra_special_tokens", "additional_special_tokens"}) {
      if (!file.has(name)) continue;
      const std::vector<AddedToken> tokens = listed(file.at(name));
      const bool have_roles = file.at(name).is_object();
      std::vector<AddedToken>& list = have_roles ? others_ : additional_;
      list.insert(list.end(), tokens.begin(), tokens.end());
      if (!tokens.empty()) return;
    }
  };
  add_list(folder.config);
  if (!folder.config.has(all_tokens)) add_list(folder.special_tokens);
}

const std::string& SpecialTokens::operator[](std::string_view role) const {
  return named_[index_of(role)].content;
}

size_t SpecialTokens::add_to(const Vocabulary& vocabulary, const std::vector<AddedToken>& of_model,
                             const Normalizer* normalizer) {
  std::vector<AddedToken> tokens = earlier_;
  std::unordered_set<std::string_view> earlier;
  for (const AddedToken& token : earlier_) earlier.insert(token.content);
  tokens.insert(tokens.end(), named_.begin(), named_.end());
  std::vector<AddedToken> more = others_;
  const std::vector<AddedToken>& additional = additional_.empty() ? of_model : additional_;
  more.insert(more.end(), additional.begin(), additional.end());
  for (AddedToken& token : more) {
    if (earlier.count(token.content) != 0) continue;
    for (const AddedToken& named : named_) token.special |= token.content == named.content;
    tokens.push_back(std::move(token));
  }
  return added_.add(tokens, vocabulary, normalizer);
}

int32_t SpecialTokens::id(std::string_view role) const {
  if (const auto id = added_.id_of((*this)[role])) return *id;
  raise<DataLoss>({.what = str("tokenizer_config.json gives no text for ", role)});
}

std::string SpecialTokens::pair(std::string_view role) const {
  return str("[", json_quoted((*this)[role]), ",", id(role), "]");
}

std::string SpecialTokens::roberta_json(const JsonView& config) const {
  const auto flag = [&](const char* name, bool missing) {
    return config.boolean_or(name, missing) ? "true" : "false";
  };
  return str(R"({"type":"RobertaProcessing","sep":)", pair("sep_token"), R"(,"cls":)",
             pair("cls_token"), R"(,"trim_offsets":)", flag("trim_offsets", true),
             R"(,"add_prefix_space":)", flag("add_prefix_space", false), "}");
}

std::string SpecialTokens::pieces_json(std::string_view form) const {
  std::string json = "[";
  for (const std::string& word : split(form, ' ')) {
    const size_t colon = std::min(word.find(':'), word.size());
    const std::string name = word.substr(0, colon);
    const bool is_text = name[0] == '$';
    json += str(json.size() > 1 ? "," : "", R"({")", is_text ? "Sequence" : "SpecialToken",
                R"(":{"id":)", json_quoted(is_text ? name.substr(1) : (*this)[name + "_token"]),
                R"(,"type_id":)", colon < word.size() ? word.substr(colon + 1) : "0", "}}");
  }
  return json + "]";
}

std::string SpecialTokens::template_json(std::string_view single, std::string_view pair) const {
  std::map<std::string, int32_t> used;
  for (const std::string& word : split(pair, ' ')) {
    const std::string role = word.substr(0, word.find(':')) + "_token";
    if (word[0] != '$') used[(*this)[role]] = id(role);
  }
  std::string tokens;
  for (const auto& [token, id] : used) {
    const std::string name = json_quoted(token);
    tokens += str(tokens.empty() ? "" : ",", name, R"(:{"id":)", name, R"(,"ids":[)", id,
                  R"(],"tokens":[)", name, "]}");
  }
  return str(R"({"type":"TemplateProcessing","single":)", pieces_json(single), R"(,"pair":)",
             pieces_json(pair), R"(,"special_tokens":{)", tokens, "}}");
}

}  // namespace text
}  // namespace systolic::inline v0
