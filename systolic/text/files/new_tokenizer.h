// Tokenizers that are yet to be trained, as the `tokenizers` package offers them ready-made
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
  bool lowercase = true;                   // texts are put into lower case first
  std::optional<bool> strip_accents = {};  // as lowercase says
  bool tokenize_chinese_chars = true;      // each a word by itself
};

struct ByteLevelBpeOptions {
  bool add_prefix_space = false;  // also before the first word
};

// For each, train() begins the vocabulary with the special tokens that are named here, unless it is
// given others.
struct NewTokenizer {
  // BERT's: [PAD], [UNK], [CLS], [SEP], [MASK]; texts are [CLS] text [SEP].
  static Tokenizer bert_word_piece(const BertWordPieceOptions& options = {});
  // GPT-2's: <|endoftext|>, and the 256 letters that stand for bytes. Nothing is put around texts.
  static Tokenizer byte_level_bpe(const ByteLevelBpeOptions& options = {});
  // SentencePiece's Unigram: <pad>, <unk>. Words begin with ▁. Nothing is put around texts.
  static Tokenizer sentence_piece_unigram();
};

}  // namespace systolic::inline v0
