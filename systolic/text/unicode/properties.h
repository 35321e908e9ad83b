// Properties of characters that tokenizers ask for: one load a character.
//
// The tables are of the versions of Unicode that the `tokenizers` package 0.23 mixes;
// make_tables.py reads them off it.
#pragma once

#include <cstdint>

namespace systolic::inline v0 {
namespace text {

enum Property : uint32_t {
  letter = 1 << 0,           // \p{L} of regular expressions
  number = 1 << 1,           // \p{N} of regular expressions
  whitespace = 1 << 2,       // White_Space
  numeric = 1 << 3,          // Nd, Nl, No as Digits has them
  punctuation = 1 << 4,      // P* and the ASCII symbols
  bert_removed = 1 << 5,     // what BERT's clean_text removes: control, format, NUL, U+FFFD
  nonspacing_mark = 1 << 6,  // Mn, as BERT's strip_accents has it
  combining_mark = 1 << 7,   // M*, as StripAccents has it
  word = 1 << 8,             // \w of the Whitespace pre-tokenizer
  upper_case = 1 << 9,       // \p{Lu}
  lower_case = 1 << 10,      // \p{Ll}
  title_case = 1 << 11,      // \p{Lt}
  mark = 1 << 12,            // \p{M} of regular expressions
  bert_ideograph = 1 << 13,  // what BERT's handle_chinese_chars puts spaces around
};

// The flags of every character, and its canonical combining class in bits 16 to 23. Made at first
// use.
const uint32_t* property_table();

inline uint32_t properties(char32_t c) {
  static const uint32_t* const table = property_table();
  return table[c];
}
inline bool has(char32_t c, uint32_t wanted) { return (properties(c) & wanted) != 0; }
inline int combining_class(char32_t c) { return static_cast<int>(properties(c) >> 16); }

// Calls f(c) for each character of the lower-case form of one: two for U+0130, else one.
char32_t simple_lower_case(char32_t c);
template <class F>
void lower_case_of(char32_t c, F&& f) {
  if (c == 0x130) {
    f(U'i');
    f(U'\u0307');
  } else {
    f(simple_lower_case(c));
  }
}

}  // namespace text
}  // namespace systolic::inline v0
