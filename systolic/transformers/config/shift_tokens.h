// What an encoder-decoder has written before each token that it is to write.
#pragma once

#include <cstdint>

#include "systolic/core/literal.h"

namespace systolic::inline v0 {

struct ShiftOptions {
  int64_t start = 0;    // before the first: decoder_start_token_id
  int64_t padding = 0;  // in the place of -100, which is not a token: pad_token_id
};

// Labels [batch, tokens] one place to the right, i32 (transformers' shift_tokens_right):
//
//   shift_tokens_right(Literal::of<int32_t>({{7, 8, 1, -100}}), {})   // {{0, 7, 8, 1}}
//
// InvalidArgument unless they are integers of that rank.
Literal shift_tokens_right(const Literal& labels, const ShiftOptions& options,
                           SourceLocation location = SourceLocation::current());

}  // namespace systolic::inline v0
