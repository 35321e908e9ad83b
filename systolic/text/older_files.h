// Tokenizers of the files that came before tokenizer.json, as `transformers` converts them.
#pragma once

#include <string>
#include <string_view>

#include "systolic/text/json_view.h"
#include "systolic/text/tokenizer.h"

namespace systolic::inline v0 {
namespace text {

// vocab.txt: a token a line, its id the number of the line. `config` is tokenizer_config.json.
Tokenizer bert_tokenizer(std::string_view vocab_txt, const JsonView& config);
// vocab.json and merges.txt of GPT-2, and of RoBERTa, which has <s> and </s>.
Tokenizer byte_level_tokenizer(std::string_view vocab_json, std::string_view merges_txt,
                               const JsonView& config);
// A model of SentencePiece, Unigram or BPE. DataLoss where it is damaged.
Tokenizer sentence_piece_tokenizer(std::string_view model, const std::string& name);

}  // namespace text
}  // namespace systolic::inline v0
