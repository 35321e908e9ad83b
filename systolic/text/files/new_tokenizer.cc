#include "systolic/text/files/new_tokenizer.h"

#include <memory>
#include <string>
#include <vector>

#include "systolic/base/text.h"
#include "systolic/text/files/older_files.h"
#include "systolic/text/pieces/json_view.h"
#include "systolic/text/special_tokens.h"
#include "systolic/text/tokenizer_config.h"
#include "systolic/text/tokenizer_state.h"

namespace systolic::inline v0 {
namespace {

// A folder with this tokenizer_config.json and nothing else.
struct FolderOf {
  FolderOf(const std::string& config, const char* tokenizer_class)
      : file(text::JsonFile::parse(config, "tokenizer_config.json")),
        nothing(text::JsonFile::parse("{}", "")),
        folder{file->root(), nothing->root(), nothing->root(), tokenizer_class} {}

  std::shared_ptr<const text::JsonFile> file, nothing;
  text::OlderFolder folder;
};

std::string flag(std::string_view name, bool value) {
  return str("\"", name, "\":", value ? "true" : "false");
}

}  // namespace

Tokenizer NewTokenizer::bert_word_piece(const BertWordPieceOptions& options) {
  std::string config =
      str(R"({"tokenizer_class":"BertTokenizer",)", flag("do_lower_case", options.lowercase), ",",
          flag("tokenize_chinese_chars", options.tokenize_chinese_chars));
  if (options.strip_accents) config += "," + flag("strip_accents", *options.strip_accents);
  const FolderOf of(config + "}", "BertTokenizer");
  Tokenizer tokenizer = text::bert_tokenizer("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n", of.folder);
  text::apply_tokenizer_config(*tokenizer.state_, of.folder);
  tokenizer.state_->training.special_tokens = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
  return tokenizer;
}

Tokenizer NewTokenizer::byte_level_bpe(const ByteLevelBpeOptions& options) {
  const FolderOf of(str(R"({"tokenizer_class":"GPT2Tokenizer",)",
                        flag("add_prefix_space", options.add_prefix_space), "}"),
                    "GPT2Tokenizer");
  Tokenizer tokenizer = text::byte_level_tokenizer(R"({"<|endoftext|>":0})", "", of.folder);
  text::apply_tokenizer_config(*tokenizer.state_, of.folder);
  tokenizer.state_->training.special_tokens = {"<|endoftext|>"};
  tokenizer.state_->training.initial_alphabet = byte_level_alphabet();
  return tokenizer;
}

Tokenizer NewTokenizer::sentence_piece_unigram() {
  Tokenizer tokenizer = Tokenizer::from_json(R"({
    "added_tokens": [{"id": 0, "content": "<pad>", "special": true, "normalized": false,
                      "single_word": false, "lstrip": false, "rstrip": false},
                     {"id": 1, "content": "<unk>", "special": true, "normalized": false,
                      "single_word": false, "lstrip": false, "rstrip": false}],
    "normalizer": {"type": "Sequence", "normalizers": [{"type": "Nmt"}, {"type": "NFKC"},
      {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]},
    "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always",
                      "split": true},
    "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
    "model": {"type": "Unigram", "unk_id": 1, "vocab": [["<pad>", 0.0], ["<unk>", 0.0]]}})");
  tokenizer.set_pad_token("<pad>");
  tokenizer.state_->training.special_tokens = {"<pad>", "<unk>"};
  tokenizer.state_->input_names = {"input_ids", "attention_mask"};
  return tokenizer;
}

}  // namespace systolic::inline v0
