// generate() by beams: for each text that is to be continued the likeliest few
// continuations are kept, by the sum of their tokens' log-probabilities; those that end are ranked
// by this sum over a power of their length (Wu et al. 2016, arXiv 1609.08144, section 7, without
// the coverage). The rules for when it ends, and which tokens are left, are those of transformers.
// Internal to transformers.
#pragma once

#include "systolic/transformers/generation/program/text_scores.h"

namespace systolic::inline v0 {

// {ids i32 [rows * returned, prompt + room], the best of each row first, the most tokens that one
// of them has i32}.
Tensors beam_search(const Decoder& decoder, const GenerateShape& shape, const Tensors& given);

}  // namespace systolic::inline v0
