#include "systolic/text/scores/python_text.h"

#include "systolic/text/unicode/properties.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {
namespace {

constexpr char32_t capital_sigma = 0x3A3, small_sigma = 0x3C3, final_sigma = 0x3C2;

bool is_cased(char32_t c) { return has(c, upper_case | lower_case | title_case); }
// Characters that stand inside of words without a case of their own (Word_Break MidLetter and the
// like, and marks).
bool is_case_ignorable(char32_t c) {
  return has(c, mark) || c == U'\'' || c == U'.' || c == U':' || c == U'^' || c == U'`' ||
         c == 0xA8 || c == 0xAD || c == 0xAF || c == 0xB4 || c == 0xB7 || c == 0xB8 ||
         c == 0x2019 || c == 0x2018 || c == 0x2024 || c == 0x2027;
}

// Unicode's Final_Sigma: after a letter with a case, and not before one.
bool is_final(const std::u32string& text, size_t at) {
  size_t before = at;
  while (before > 0 && is_case_ignorable(text[before - 1])) --before;
  if (before == 0 || !is_cased(text[before - 1])) return false;
  size_t after = at + 1;
  while (after < text.size() && is_case_ignorable(text[after])) ++after;
  return after == text.size() || !is_cased(text[after]);
}

}  // namespace

bool is_python_alphanumeric(char32_t c) { return has(c, letter | number); }

bool is_python_space(char32_t c) { return has(c, whitespace) || (c >= 0x1C && c <= 0x1F); }

bool is_ascii_punctuation(char32_t c) {
  return (c >= 0x21 && c <= 0x2F) || (c >= 0x3A && c <= 0x40) || (c >= 0x5B && c <= 0x60) ||
         (c >= 0x7B && c <= 0x7E);
}

std::u32string python_lower(std::string_view given) {
  const std::string valid = lossy_utf8(given);
  std::u32string characters, lower;
  for (size_t at = 0; at < valid.size(); at += utf8_size(static_cast<unsigned char>(valid[at])))
    characters += character_at(valid, at);
  for (size_t i = 0; i < characters.size(); ++i) {
    if (characters[i] == capital_sigma) {
      lower += is_final(characters, i) ? final_sigma : small_sigma;
    } else {
      lower_case_of(characters[i], [&](char32_t c) { lower += c; });
    }
  }
  return lower;
}

std::vector<std::u32string> python_split(const std::u32string& text) {
  std::vector<std::u32string> words;
  bool inside = false;
  for (const char32_t c : text) {
    if (is_python_space(c)) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    words.back() += c;
  }
  return words;
}

}  // namespace text
}  // namespace systolic::inline v0
