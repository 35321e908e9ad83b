// What a model says of texts that were written, read as a whole: how likely their tokens are, and
// where it looked in the source. Internal to transformers.
#pragma once

#include "systolic/transformers/generation/program/text_scores.h"

namespace systolic::inline v0 {

// What is asked besides the arguments of generate().
struct TextsToRead {
  Tensor ids;    // i32 [rows, prompt + room]: texts that end as those of generate() do
  Tensor slot;   // i32: whose scores, as the model gives them, are asked for
  Tensor token;  // i32: which of them
};

// {the sum of the logarithms of the probabilities of the tokens after the prompt, by the rules and
// at the temperature that they were chosen by: f32 [rows]; the probability of `token` after `slot`:
// f32 [rows]}, and, where shape.kept_heads names some, the probabilities of these heads' attention
// to the source: f32 [rows, heads, prompt + room, source].
Tensors read_texts(const Decoder& decoder, const GenerateShape& shape, const Tensors& given,
                   const TextsToRead& texts);

}  // namespace systolic::inline v0
