// What a tokenizer's class makes of a tokenizer.json: fields of tokenizer_config.json, or the
// class's defaults for them, count more than what the file says of the same, as in `transformers`.
#pragma once

#include "systolic/text/special_tokens.h"
#include "systolic/text/tokenizer_state.h"

namespace systolic::inline v0 {
namespace text {

// BERT's do_lower_case (true), strip_accents (as do_lower_case) and tokenize_chinese_chars (true);
// ALBERT's do_lower_case (true) and keep_accents (false), XLNet's do_lower_case (false);
// add_prefix_space where the file has it. Normalizers and pre-tokenizers of other kinds than the
// class's own stay as they are. Whether anything changed: then State::prepare() has to follow.
bool apply_class_fields(Tokenizer::State& state, const OlderFolder& folder);

}  // namespace text
}  // namespace systolic::inline v0
