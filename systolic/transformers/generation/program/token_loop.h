// generate() by one text a row: the next token is the likeliest, or drawn. Internal to
// transformers.
#pragma once

#include "systolic/transformers/generation/program/text_scores.h"

namespace systolic::inline v0 {

// {ids i32 [rows, prompt + room], how many tokens were generated i32}.
Tensors token_loop(const Decoders& decoders, const GenerateShape& shape, const Tensors& given);

// The same in parts: {how many tokens, ids, which texts have ended, seen, and what the decoder
// keeps} after the first token; the same after `until` tokens.
Tensors begin_tokens(const Decoders& decoders, const GenerateShape& shape, const Tensors& given);
Tensors more_tokens(const Decoders& decoders, const GenerateShape& shape, const Tensors& given,
                    const Tensors& state, const Tensor& until);

}  // namespace systolic::inline v0
