// How Tokenizer::train makes a vocabulary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "systolic/text/added_token.h"

namespace systolic::inline v0 {

struct TrainOptions {
  size_t vocab_size = 30000;   // with special tokens and single characters
  uint64_t min_frequency = 0;  // for a pair, or a word, to become a token
  // The first ids, in this order: {"[UNK]", "[PAD]"}. The tokens that a post-processor adds to
  // texts must be among them, or in the texts.
  AddedTokenList special_tokens = {};
  size_t limit_alphabet = 0;                     // the most frequent characters to keep; 0: all
  std::u32string initial_alphabet = {};          // characters that are always kept
  std::string continuing_subword_prefix = "##";  // for WordPiece
  std::string end_of_word_suffix = {};  // for BPE: ends the last token of a word, such as "</w>"
  size_t max_token_length = 0;          // in characters; 0: any, and 16 for Unigram
  // For Unigram, which takes neither min_frequency nor limit_alphabet:
  double shrinking_factor = 0.75;  // what a round of pruning keeps, in (0, 1)
  size_t sub_iterations = 2;       // expectation-maximization steps before each round
  size_t seed_size = 1000000;      // substrings that training starts with
};

// The 256 characters that stand for bytes, an initial_alphabet for byte-level BPE.
std::u32string byte_level_alphabet();

}  // namespace systolic::inline v0
