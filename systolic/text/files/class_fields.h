// How the files next to a tokenizer.json change it: fields of tokenizer_config.json, or the
// defaults of the tokenizer's class for them, override what tokenizer.json says, as in
// `transformers`.
#pragma once

#include "systolic/text/special_tokens.h"
#include "systolic/text/tokenizer_state.h"

namespace systolic::inline v0 {
namespace text {

// BERT's do_lower_case (true), strip_accents (as do_lower_case) and tokenize_chinese_chars (true);
// ALBERT's do_lower_case (true) and keep_accents (false), XLNet's do_lower_case (false);
// add_prefix_space of the others (false for models of bytes, true for those of SentencePiece).
// Normalizers and pre-tokenizers of other kinds than the class's own stay as they are. Returns
// whether anything changed: then State::prepare() has to follow.
bool apply_class_fields(Tokenizer::State& state, const OlderFolder& folder);

// Adds the special tokens that the files name and, for a model of the class's own kind, those of
// the class, with its post-processor for them. The token that pads is one of them. Returns whether
// anything changed.
bool apply_special_tokens(Tokenizer::State& state, const OlderFolder& folder);

}  // namespace text
}  // namespace systolic::inline v0
