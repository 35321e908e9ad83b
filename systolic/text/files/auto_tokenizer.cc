#include "systolic/text/files/auto_tokenizer.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/folder_without.h"
#include "systolic/io/files/read_range.h"
#include "systolic/text/called_at.h"
#include "systolic/text/files/class_fields.h"
#include "systolic/text/files/class_parts.h"
#include "systolic/text/files/older_files.h"
#include "systolic/text/pieces/json_view.h"
#include "systolic/text/pieces/limits.h"
#include "systolic/text/tokenizer_config.h"

namespace systolic::inline v0 {
namespace {

constexpr uint64_t most_settings_bytes = uint64_t{1} << 24;

// A file of JSON, or an empty object where there is none.
std::shared_ptr<const text::JsonFile> json_of(const std::string& path, SourceLocation location) {
  return text::JsonFile::parse(io::exists(path, location)
                                   ? io::read_file_of_at_most(path, most_settings_bytes, location)
                                   : "{}",
                               path);
}

// By tokenizer_config.json; else by config.json, which may name it or the model that it is for.
std::string tokenizer_class(const text::JsonView& tokenizer_config,
                            const text::JsonView& model_config) {
  for (const text::JsonView& config : {tokenizer_config, model_config}) {
    std::string name = config.string_or("tokenizer_class", "");
    if (name.ends_with("Fast")) name.resize(name.size() - 4);
    if (name == "ElectraTokenizer") name = "BertTokenizer";
    if (text::usual_tokens(name) != nullptr) return name;
  }
  constexpr std::pair<std::string_view, const char*> classes[] = {
      {"bert", "BertTokenizer"},           {"distilbert", "BertTokenizer"},
      {"electra", "BertTokenizer"},        {"roberta", "RobertaTokenizer"},
      {"gpt2", "GPT2Tokenizer"},           {"xlm-roberta", "XLMRobertaTokenizer"},
      {"albert", "AlbertTokenizer"},       {"xlnet", "XLNetTokenizer"},
      {"big_bird", "BigBirdTokenizer"},    {"clip", "CLIPTokenizer"},
      {"gemma", "GemmaTokenizer"},         {"gemma2", "GemmaTokenizer"},
      {"gemma3_text", "GemmaTokenizer"},   {"mpnet", "MPNetTokenizer"},
      {"deberta-v2", "DebertaV2Tokenizer"}};
  const std::string type = model_config.string_or("model_type", "");
  for (const auto& [model, name] : classes) {
    if (model == type) return name;
  }
  return "";
}

Tokenizer read(const std::string& folder, text::OlderFolder& beside, SourceLocation location) {
  const auto path = [&](std::string_view name) { return str(folder, "/", name); };
  const auto contents = [&](std::string_view name) {
    return io::read_file_of_at_most(path(name), text::most_vocabulary_bytes, location);
  };
  const auto has = [&](std::string_view name) { return io::exists(path(name), location); };
  if (has("tokenizer.json")) return Tokenizer::from_file(path("tokenizer.json"), location);
  if (has("vocab.txt")) return text::bert_tokenizer(contents("vocab.txt"), beside);
  if (has("vocab.json") && has("merges.txt")) {
    return text::byte_level_tokenizer(contents("vocab.json"), contents("merges.txt"), beside);
  }
  for (const std::string_view name :
       {"spiece.model", "sentencepiece.bpe.model", "tokenizer.model", "spm.model"}) {
    if (!has(name)) continue;
    return text::sentence_piece_tokenizer(contents(name), path(name), beside);
  }
  io::raise_folder_without("tokenizer", folder,
                           "tokenizer.json, vocab.txt, vocab.json with merges.txt, or spiece.model",
                           location);
}

}  // namespace

Tokenizer AutoTokenizer::from_pretrained(const std::string& folder, SourceLocation location) {
  return text::called_at(location, [&] { return from_folder(folder, location); });
}

Tokenizer AutoTokenizer::from_folder(const std::string& folder, SourceLocation location) {
  std::vector<std::shared_ptr<const text::JsonFile>> files;
  const auto root = [&](std::string_view name) {
    files.push_back(json_of(str(folder, "/", name), location));
    const text::JsonView view = files.back()->root();
    if (!view.is_object()) view.raise_not("an object");
    return view;
  };
  text::OlderFolder beside{root("tokenizer_config.json"), root("special_tokens_map.json"),
                           root("added_tokens.json"), ""};
  const text::JsonView model_config = root("config.json");
  beside.tokenizer_class = tokenizer_class(beside.config, model_config);
  beside.is_silent = !beside.config.has("tokenizer_class") &&
                     !model_config.has("tokenizer_class") && !model_config.has("model_type");
  Tokenizer tokenizer = read(folder, beside, location);
  Tokenizer::State& state = *tokenizer.state_;
  tokenizer.no_padding();
  if (beside.tokenizer_class == "LlamaTokenizer" && text::is_of_bytes(state))
    beside.tokenizer_class.clear();
  if (io::exists(str(folder, "/tokenizer.json"), location)) {
    const bool other_fields = text::apply_class_fields(state, beside);
    const bool other_tokens = text::apply_special_tokens(state, beside);
    if (other_fields || other_tokens) state.prepare();
  } else if (beside.tokenizer_class.empty() && io::exists(str(folder, "/vocab.txt"), location)) {
    beside.tokenizer_class = "BertTokenizer";
  }
  text::apply_tokenizer_config(state, beside);
  if (const std::string chat = folder + text::chat_template_file; io::exists(chat, location))
    state.chat_template = io::read_file_of_at_most(chat, text::most_vocabulary_bytes, location);
  tokenizer.no_truncation();
  return tokenizer;
}

}  // namespace systolic::inline v0
