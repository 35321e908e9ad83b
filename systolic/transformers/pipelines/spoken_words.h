// Words of what was said, out of its tokens. Internal to transformers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/text/tokenizer.h"

namespace systolic::inline v0 {

// A word, and the places of its first and last token.
struct SpokenWord {
  std::string text;
  size_t first = 0, last = 0;
};

// Words begin with a space; marks such as an opening bracket go with the word after them, others
// with the one before, as transformers has it for languages that write spaces.
std::vector<SpokenWord> spoken_words(const Tokenizer& tokenizer,
                                     const std::vector<int32_t>& tokens);

}  // namespace systolic::inline v0
