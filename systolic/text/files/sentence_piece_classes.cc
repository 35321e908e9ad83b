// SentencePiece models as XLM-RoBERTa, ALBERT, XLNet, BigBird and DeBERTa use them: each with its
// special tokens, which the file itself does not tell.
#include <algorithm>

#include "systolic/base/text.h"
#include "systolic/text/files/class_parts.h"
#include "systolic/text/files/sentence_piece.h"

namespace systolic::inline v0 {
namespace text {
namespace {

// What a class makes of a model.
struct Parts {
  std::vector<ScoredPiece> pieces;
  int64_t unk_id;
  std::string normalizer;
  bool splits_at_spaces = true;
  std::string pre_tokenizer = {};  // in place of the usual one
};

std::string replace_json(const char* pattern, const char* content) {
  return str(R"({"type":"Replace","pattern":)", pattern, R"(,"content":)", json_quoted(content),
             "}");
}

std::string sequence_json(const std::vector<std::string>& normalizers) {
  return str(R"({"type":"Sequence","normalizers":[)", join(normalizers, ","), "]}");
}

// ALBERT's and XLNet's: LaTeX's quotes, accents, case, then the model's own.
std::string cleaning(const SentencePieceModel& model, bool keep_accents, bool lower_case) {
  std::vector<std::string> all = {replace_json(R"({"String":"``"})", "\""),
                                  replace_json(R"({"String":"''"})", "\"")};
  if (!keep_accents) {
    all.push_back(R"({"type":"NFKD"})");
    all.push_back(R"({"type":"StripAccents"})");
  }
  if (lower_case) all.push_back(R"({"type":"Lowercase"})");
  if (!model.character_map.empty()) all.push_back(precompiled_json(model));
  return sequence_json(all);
}

// The three pieces that fairseq numbers differently make room for four, and <mask> comes last.
std::vector<ScoredPiece> fairseq_pieces(const SentencePieceModel& model,
                                        const SpecialTokens& tokens) {
  std::vector<ScoredPiece> pieces;
  for (const char* role : {"bos_token", "pad_token", "eos_token", "unk_token"}) {
    pieces.push_back({tokens[role]});
  }
  const size_t replaced = std::min<size_t>(3, model.pieces.size());
  pieces.insert(pieces.end(), model.pieces.begin() + static_cast<int64_t>(replaced),
                model.pieces.end());
  pieces.push_back({tokens["mask_token"]});
  return pieces;
}

// The place of that piece, or where the class has it.
int64_t unknown_piece(const SentencePieceModel& model, const std::string& token, int64_t usual) {
  for (size_t i = 0; i < model.pieces.size(); ++i) {
    if (model.pieces[i].text == token && model.pieces[i].score == 0) return static_cast<int64_t>(i);
  }
  return usual;
}

Parts parts_of(const SentencePieceModel& model, const OlderFolder& folder,
               const SpecialTokens& tokens) {
  const JsonView& config = folder.config;
  const std::string& name = folder.tokenizer_class;
  if (name == "XLMRobertaTokenizer") {
    return {fairseq_pieces(model, tokens), 3, precompiled_json(model)};
  }
  if (name == "AlbertTokenizer") {
    return {model.pieces, 1,
            cleaning(model, config.boolean_or("keep_accents", false),
                     config.boolean_or("do_lower_case", true))};
  }
  if (name == "XLNetTokenizer") {
    return {model.pieces, static_cast<int64_t>(model.unk_id),
            cleaning(model, false, config.boolean_or("do_lower_case", false))};
  }
  if (name == "DebertaV2Tokenizer") {
    const ClassParts parts = deberta_parts(config);
    return {model.pieces, unknown_piece(model, tokens["unk_token"], 1), parts.normalizer, true,
            parts.pre_tokenizer};
  }
  return {model.pieces, unknown_piece(model, tokens["unk_token"], 100),
          sequence_json({replace_json(R"({"Regex":" {2,}"})", "\u2581")}), false};
}

std::vector<AddedToken> added_by(const SentencePieceModel& model) {
  std::vector<AddedToken> tokens;
  for (const ScoredPiece& piece : model.pieces) {
    if (piece.type != control && piece.type != user_defined) continue;
    tokens.push_back(
        {.content = piece.text, .normalized = false, .special = piece.type == control});
  }
  return tokens;
}

Vocabulary vocabulary_of(const std::vector<ScoredPiece>& pieces) {
  std::vector<std::pair<std::string, int32_t>> entries;
  for (const ScoredPiece& piece : pieces) {
    entries.emplace_back(piece.text, static_cast<int32_t>(entries.size()));
  }
  return Vocabulary(std::move(entries));
}

}  // namespace

std::string sentence_piece_class(const SentencePieceModel& model) {
  const auto has_all = [&](std::initializer_list<std::string_view> texts) {
    return std::all_of(texts.begin(), texts.end(), [&](std::string_view text) {
      return std::any_of(model.pieces.begin(), model.pieces.end(),
                         [&](const ScoredPiece& piece) { return piece.text == text; });
    });
  };
  const auto begins_with = [&](std::initializer_list<std::string_view> texts) {
    return std::equal(texts.begin(), texts.end(), model.pieces.begin(),
                      model.pieces.begin() + std::min(texts.size(), model.pieces.size()),
                      [](std::string_view text, const auto& piece) { return text == piece.text; });
  };
  if (model.name.ends_with("sentencepiece.bpe.model") && begins_with({"<unk>", "<s>", "</s>"}))
    return "XLMRobertaTokenizer";
  if (has_all({"<cls>", "<sep>", "<eod>"})) return "XLNetTokenizer";
  if (!has_all({"[CLS]", "[SEP]"})) return "";
  if (begins_with({"[PAD]", "[CLS]", "[SEP]", "[UNK]"})) return "DebertaV2Tokenizer";
  if (begins_with({"<pad>", "<unk>"})) return "AlbertTokenizer";
  return begins_with({"<pad>", "</s>"}) ? "BigBirdTokenizer" : "";
}

std::string sentence_piece_class_json(const SentencePieceModel& model, const OlderFolder& folder) {
  constexpr const char* classes[] = {"XLMRobertaTokenizer", "AlbertTokenizer", "XLNetTokenizer",
                                     "BigBirdTokenizer", "DebertaV2Tokenizer"};
  const std::string& name = folder.tokenizer_class;
  if (std::find(std::begin(classes), std::end(classes), name) == std::end(classes)) return "";
  const UsualTokens& usual = *usual_tokens(name);
  SpecialTokens tokens(folder, usual);
  const Parts parts = parts_of(model, folder, tokens);
  tokens.add_to(vocabulary_of(parts.pieces), added_by(model));
  const std::string metaspace =
      str(R"({"type":"Metaspace","replacement":"▁","prepend_scheme":)",
          folder.config.boolean_or("add_prefix_space", true) ? R"("always")"
          : parts.pre_tokenizer.empty()                      ? R"("never")"
                                                             : R"("first")",
          R"(,"split":true})");
  const std::string pre_tokenizer =
      !parts.pre_tokenizer.empty() ? parts.pre_tokenizer
      : parts.splits_at_spaces
          ? str(R"({"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},)", metaspace,
                "]}")
          : metaspace;
  return str(R"({"added_tokens":)", tokens.json(), R"(,"normalizer":)",
             parts.normalizer.empty() ? "null" : parts.normalizer, R"(,"pre_tokenizer":)",
             pre_tokenizer, R"(,"post_processor":)", tokens.template_json(usual.single, usual.pair),
             R"(,"decoder":)", metaspace, R"(,"model":{"type":"Unigram","unk_id":)", parts.unk_id,
             R"(,"byte_fallback":false,"vocab":)", scores_json(parts.pieces), "}}");
}

}  // namespace text
}  // namespace systolic::inline v0
