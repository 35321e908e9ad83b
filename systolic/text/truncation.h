// Cutting the encodings of a text or a pair to a number of tokens.
#pragma once

#include "systolic/text/pieces/encoding.h"
#include "systolic/text/tokenize_options.h"

namespace systolic::inline v0 {
namespace text {

// Tokens of the whole texts: encodings need hold no more of them than can stay.
struct WholeSizes {
  size_t first = 0, second = 0;
};

// Together with `special_tokens`, which are still to be added, the texts have at most max_length
// tokens. InvalidArgument where that is impossible. The others are kept as `overflowing` on demand.
void truncate(Encoding& first, Encoding* second, const WholeSizes& sizes,
              const TruncationParameters& parameters, size_t special_tokens, bool keep_others);

}  // namespace text
}  // namespace systolic::inline v0
