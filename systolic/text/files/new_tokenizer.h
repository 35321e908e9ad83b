// Tokenizers that are yet to be trained, as the `tokenizers` package has them ready-made
// (BertWordPieceTokenizer, ByteLevelBPETokenizer, SentencePieceUnigramTokenizer).
//
//   auto tokenizer = NewTokenizer::bert_word_piece({.lowercase = true});
//   tokenizer.train(texts, {.vocab_size = 8000});
//   tokenizer.save_pretrained("mine/");
#pragma once

#include <optional>

#include "systolic/text/tokenizer.h"

namespace systolic::inline v0 {

struct BertWordPieceOptions {
  bool lowercase = true;
  std::optional<bool> strip_accents = {};  // as lowercase says
  bool tokenize_chinese_chars = true;      // each for itself
};

struct ByteLevelBpeOptions {
  bool add_prefix_space = false;  // before the first word, too
};

// Of each, train() begins the vocabulary with the special tokens that are named here, unless it is
// given others.
struct NewTokenizer {
  // BERT's: [PAD], [UNK], [CLS], [SEP], [MASK]; texts are [CLS] text [SEP].
  static Tokenizer bert_word_piece(const BertWordPieceOptions& options = {});
  // GPT-2's: <|endoftext|>, and the 256 letters that stand for bytes. Nothing stands around texts.
  static Tokenizer byte_level_bpe(const ByteLevelBpeOptions& options = {});
  // SentencePiece's Unigram: <pad>, <unk>. Words begin with ▁. Nothing stands around texts.
  static Tokenizer sentence_piece_unigram();
};

}  // namespace systolic::inline v0
