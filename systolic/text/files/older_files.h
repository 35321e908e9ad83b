// Tokenizers of the files that came before tokenizer.json, as `transformers` 5 converts them.
#pragma once

#include <string>
#include <string_view>

#include "systolic/text/special_tokens.h"
#include "systolic/text/tokenizer.h"

namespace systolic::inline v0 {
namespace text {

// vocab.txt: a token a line, its id the number of the line.
Tokenizer bert_tokenizer(std::string_view vocab_txt, const OlderFolder& folder);
// vocab.json and merges.txt of GPT-2, or of RoBERTa, which puts <s> and </s> around a text. Where
// the class is not known, a vocabulary that has both is RoBERTa's.
Tokenizer byte_level_tokenizer(std::string_view vocab_json, std::string_view merges_txt,
                               const OlderFolder& folder);
// A SentencePiece model, Unigram or BPE, with the special tokens of XLM-RoBERTa, ALBERT, XLNet or
// BigBird where the class is one of theirs. Where no file of the folder names a class, the one that
// has the model's file name and pieces is written to it. DataLoss where the model is damaged.
Tokenizer sentence_piece_tokenizer(std::string_view model, const std::string& name,
                                   OlderFolder& folder);

}  // namespace text
}  // namespace systolic::inline v0
