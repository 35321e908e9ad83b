#include "systolic/text/older_files.h"

#include "systolic/base/error.h"
#include "systolic/text/models/model.h"
#include "systolic/text/tokenizer_config.h"
#include "systolic/text/unicode/properties.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void trim_end(std::string& line) {
  size_t end = line.size();
  while (end > 0) {
    size_t before = end;
    if (!has(character_before(line, before), whitespace)) break;
    end = before;
  }
  line.resize(end);
}

const char* json_bool(bool value) { return value ? "true" : "false"; }

std::string added_json(const std::vector<std::pair<std::string, int64_t>>& tokens,
                       std::string_view lstripped = "") {
  std::string json = "[";
  for (const auto& [token, id] : tokens) {
    if (json.size() > 1) json += ",";
    json += str(R"({"id":)", id, R"(,"content":)", json_quoted(token),
                R"(,"single_word":false,"lstrip":)", json_bool(token == lstripped),
                R"(,"rstrip":false,"normalized":false,"special":true})");
  }
  return json + "]";
}

}  // namespace

Tokenizer bert_tokenizer(std::string_view vocab_txt, const JsonView& config) {
  const std::string well_formed = lossy_utf8(vocab_txt);
  std::vector<std::pair<std::string, int32_t>> entries;
  for (std::string& line : lines_of(well_formed)) {
    trim_end(line);
    entries.emplace_back(std::move(line), static_cast<int32_t>(entries.size()));
  }
  const Vocabulary vocabulary(std::move(entries));
  std::vector<std::pair<std::string, int64_t>> specials;
  const auto id_of = [&](std::string_view name, std::string_view usual) {
    const std::string token = token_name(config, name, usual);
    const auto id = vocabulary.id_of(token);
    if (!id) {
      raise<DataLoss>({.what = str("vocab.txt has no token '", token, "'"),
                       .hint = "is this a vocabulary of BERT?"});
    }
    specials.emplace_back(token, *id);
    return str("[", json_quoted(token), ",", *id, "]");
  };
  id_of("pad_token", "[PAD]");
  id_of("unk_token", "[UNK]");
  const std::string cls = id_of("cls_token", "[CLS]"), sep = id_of("sep_token", "[SEP]");
  if (vocabulary.id_of(token_name(config, "mask_token", "[MASK]"))) {
    id_of("mask_token", "[MASK]");
  }
  const std::string strip =
      config.has("strip_accents") ? json_bool(config.at("strip_accents").boolean()) : "null";
  return Tokenizer::from_json(
      str(R"({"added_tokens":)", added_json(specials),
          R"(,"normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":)",
          json_bool(config.boolean_or("tokenize_chinese_chars", true)), R"(,"strip_accents":)",
          strip, R"(,"lowercase":)", json_bool(config.boolean_or("do_lower_case", true)),
          R"(},"pre_tokenizer":{"type":"BertPreTokenizer"},"post_processor":)",
          R"({"type":"BertProcessing","sep":)", sep, R"(,"cls":)", cls,
          R"(},"decoder":{"type":"WordPiece","prefix":"##","cleanup":true},"model":)",
          R"({"type":"WordPiece","unk_token":)", json_quoted(specials[1].first),
          R"(,"continuing_subword_prefix":"##","max_input_chars_per_word":100,"vocab":)",
          vocabulary.to_json(), "}}"),
      "vocab.txt");
}

Tokenizer byte_level_tokenizer(std::string_view vocab_json, std::string_view merges_txt,
                               const JsonView& config) {
  const auto file = JsonFile::parse(vocab_json, "vocab.json");
  const Vocabulary vocabulary = Vocabulary::from_json(file->root());
  std::string merges = "[";
  for (std::string& line : lines_of(lossy_utf8(merges_txt))) {
    trim_end(line);
    if (line.empty() || line.starts_with("#version")) continue;
    merges += str(merges.size() > 1 ? "," : "", json_quoted(line));
  }
  merges += "]";
  const bool roberta = vocabulary.id_of("<s>") && vocabulary.id_of("</s>");
  std::vector<std::pair<std::string, int64_t>> specials;
  for (const char* token : {"<s>", "<pad>", "</s>", "<unk>", "<mask>", "<|endoftext|>"}) {
    if (const auto id = vocabulary.id_of(token)) specials.emplace_back(token, *id);
  }
  const std::string prefix = json_bool(config.boolean_or("add_prefix_space", false));
  std::string processor =
      str(R"({"type":"ByteLevel","add_prefix_space":)", prefix, R"(,"trim_offsets":false})");
  if (roberta) {
    const auto pair = [&](const char* token) {
      return str("[", json_quoted(token), ",", *vocabulary.id_of(token), "]");
    };
    processor = str(R"({"type":"RobertaProcessing","sep":)", pair("</s>"), R"(,"cls":)",
                    pair("<s>"), R"(,"trim_offsets":true,"add_prefix_space":)", prefix, "}");
  }
  const std::string level =
      str(R"({"type":"ByteLevel","add_prefix_space":)", prefix, R"(,"trim_offsets":true})");
  return Tokenizer::from_json(str(R"({"added_tokens":)", added_json(specials, "<mask>"),
                                  R"(,"pre_tokenizer":)", level, R"(,"post_processor":)", processor,
                                  R"(,"decoder":)", level, R"(,"model":{"type":"BPE","vocab":)",
                                  vocabulary.to_json(), R"(,"merges":)", merges, "}}"),
                              "vocab.json");
}

}  // namespace text
}  // namespace systolic::inline v0
