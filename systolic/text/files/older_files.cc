#include "systolic/text/files/older_files.h"

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

}  // namespace

Tokenizer bert_tokenizer(std::string_view vocab_txt, const OlderFolder& folder) {
  const std::string well_formed = lossy_utf8(vocab_txt);
  std::vector<std::pair<std::string, int32_t>> entries;
  for (std::string& line : lines_of(well_formed)) {
    trim_end(line);
    entries.emplace_back(std::move(line), static_cast<int32_t>(entries.size()));
  }
  const Vocabulary vocabulary(std::move(entries));
  const bool is_mpnet = folder.tokenizer_class == "MPNetTokenizer";
  const UsualTokens& usual = *usual_tokens(is_mpnet ? "MPNetTokenizer" : "BertTokenizer");
  SpecialTokens tokens(folder, usual);
  for (const char* role : {"pad_token", "unk_token", "cls_token", "sep_token"}) {
    if (vocabulary.id_of(tokens[role])) continue;
    raise<DataLoss>({.what = str("vocab.txt has no token '", tokens[role], "'"),
                     .hint = "is this a vocabulary of BERT?"});
  }
  tokens.add_to(vocabulary);
  const JsonView& config = folder.config;
  const std::string strip =
      config.has("strip_accents") ? json_bool(config.at("strip_accents").boolean()) : "null";
  return Tokenizer::from_json(
      str(R"({"added_tokens":)", tokens.json(),
          R"(,"normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":)",
          json_bool(config.boolean_or("tokenize_chinese_chars", true)), R"(,"strip_accents":)",
          strip, R"(,"lowercase":)", json_bool(config.boolean_or("do_lower_case", true)),
          R"(},"pre_tokenizer":{"type":"BertPreTokenizer"},"post_processor":)",
          is_mpnet ? tokens.roberta_json(config) : tokens.template_json(usual.single, usual.pair),
          R"(,"decoder":{"type":"WordPiece","prefix":"##","cleanup":true},"model":)",
          R"({"type":"WordPiece","unk_token":)", json_quoted(tokens["unk_token"]),
          R"(,"continuing_subword_prefix":"##","max_input_chars_per_word":100,"vocab":)",
          vocabulary.to_json(), "}}"),
      "vocab.txt", {});
}

Tokenizer byte_level_tokenizer(std::string_view vocab_json, std::string_view merges_txt,
                               const OlderFolder& folder) {
  const auto file = JsonFile::parse(vocab_json, "vocab.json");
  const Vocabulary vocabulary = Vocabulary::from_json(file->root());
  std::string merges = "[";
  for (std::string& line : lines_of(lossy_utf8(merges_txt))) {
    trim_end(line);
    if (line.empty() || line.starts_with("#version")) continue;
    merges += str(merges.size() > 1 ? "," : "", json_quoted(line));
  }
  merges += "]";
  const bool known = folder.tokenizer_class == "GPT2Tokenizer";
  const bool roberta = folder.tokenizer_class == "RobertaTokenizer" ||
                       (!known && vocabulary.id_of("<s>") && vocabulary.id_of("</s>"));
  SpecialTokens tokens(folder, *usual_tokens(roberta ? "RobertaTokenizer" : "GPT2Tokenizer"));
  tokens.add_to(vocabulary);
  const JsonView& config = folder.config;
  const std::string prefix = json_bool(config.boolean_or("add_prefix_space", false));
  const std::string level =
      str(R"({"type":"ByteLevel","add_prefix_space":)", prefix, R"(,"trim_offsets":true})");
  std::string processor;
  if (roberta) {
    processor = tokens.roberta_json(config);
  } else if (config.boolean_or("add_bos_token", false)) {
    processor = tokens.template_json("bos $A", "bos $A bos:1 $B:1");
  } else {
    processor = tokens.template_json("$A", "$A $B:1");
  }
  return Tokenizer::from_json(str(R"({"added_tokens":)", tokens.json(), R"(,"pre_tokenizer":)",
                                  level, R"(,"post_processor":)", processor, R"(,"decoder":)",
                                  level, R"(,"model":{"type":"BPE","vocab":)", vocabulary.to_json(),
                                  R"(,"merges":)", merges, "}}"),
                              "vocab.json", {});
}

}  // namespace text
}  // namespace systolic::inline v0
