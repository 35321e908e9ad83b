// Classes that `transformers` 5 makes anew from the vocabulary and the merges of a tokenizer.json:
// what that file says of normalizer, pre-tokenizer and decoder counts for nothing then.
#pragma once

#include "systolic/text/special_tokens.h"
#include "systolic/text/tokenizer_state.h"

namespace systolic::inline v0 {
namespace text {

// Members of a tokenizer.json.
struct ClassParts {
  std::string normalizer = "null", pre_tokenizer = "null", decoder = "null";
};

// DebertaV2Tokenizer's, by do_lower_case (false), split_by_punct (false) and add_prefix_space
// (true).
ClassParts deberta_parts(const JsonView& config);

// Whether it is one of these: LlamaTokenizer, GemmaTokenizer, CLIPTokenizer, DebertaV2Tokenizer.
bool is_rebuilt(const std::string& tokenizer_class);

// Gives a tokenizer the parts of its class (LlamaTokenizer's by add_prefix_space, true, and
// legacy, false). Returns whether anything changed; nothing does for other classes.
bool apply_class_parts(Tokenizer::State& state, const OlderFolder& folder);

// Whether a LlamaTokenizer is one of bytes (Llama 3): `transformers` takes its file as it is.
bool is_of_bytes(const Tokenizer::State& state);

}  // namespace text
}  // namespace systolic::inline v0
