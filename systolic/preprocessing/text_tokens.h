// Texts to rows of tokens: standardized, split, joined to n-grams (keras.layers.TextVectorization).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/core/literal.h"

namespace systolic::inline v0 {

struct TextRules {
  // none lower strip_punctuation lower_and_strip_punctuation; ASCII letters and punctuation, as
  // TensorFlow's ops do it.
  std::string_view standardize = "lower_and_strip_punctuation";
  // none: each string is a token; whitespace: ASCII's; character: of UTF-8, U+FFFD for bytes that
  // are none.
  std::string_view split = "whitespace";
  // Widths of n-grams, whose tokens are joined with a space; none: tokens are left as they are.
  std::vector<int64_t> ngrams = {};
  // Instead of the two names above.
  std::function<std::string(std::string_view)> standardize_function = {};
  std::function<std::vector<std::string>(std::string_view)> split_function = {};
};

// The tokens of all rows one after the other, and where each row starts and the last ends.
struct TokenRows {
  std::vector<std::string> tokens = {};
  std::vector<int64_t> row_splits = {0};
  int64_t rows() const { return static_cast<int64_t>(row_splits.size()) - 1; }
};

// Texts are strings [rows] or [rows, 1], or one string; where they are not split, [rows, tokens],
// and one string or [tokens] is one row. Another shape is an InvalidArgument.
TokenRows tokens_of(const TextRules& rules, const Literal& texts);

}  // namespace systolic::inline v0
