#include "systolic/preprocessing/text_tokens.h"

#include <algorithm>
#include <utility>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

bool is_ascii_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_ascii_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

std::string standardized(const TextRules& rules, std::string_view text) {
  if (rules.standardize_function) return rules.standardize_function(text);
  std::string result(text);
  if (rules.standardize == "lower" || rules.standardize == "lower_and_strip_punctuation") {
    for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  if (rules.standardize == "strip_punctuation" ||
      rules.standardize == "lower_and_strip_punctuation") {
    std::erase_if(result, is_ascii_punctuation);
  }
  return result;
}

void split_at_spaces(std::string_view text, std::vector<std::string>& tokens) {
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    while (at < text.size() && !is_ascii_space(text[at])) ++at;
    if (at > begin) tokens.emplace_back(text.substr(begin, at - begin));
    ++at;
  }
}

// How many bytes are the character at the start; 0: none is.
size_t character_size(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const size_t size = lead < 0x80   ? 1
                      : lead < 0xC2 ? 0
                      : lead < 0xE0 ? 2
                      : lead < 0xF0 ? 3
                      : lead < 0xF5 ? 4
                                    : 0;
  if (size > text.size()) return 0;
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Longer than needed, surrogates, and beyond the last character.
  const unsigned char second = size > 1 ? byte(1) : 0;
  const bool is_wrong = (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
                        (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F);
  return is_wrong ? 0 : size;
}

void split_characters(std::string_view text, std::vector<std::string>& tokens) {
  while (!text.empty()) {
    const size_t size = character_size(text);
    tokens.emplace_back(size == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(0, size));
    text.remove_prefix(std::max<size_t>(size, 1));
  }
}

std::vector<std::string> ngrams_of(const std::vector<std::string>& tokens,
                                   const std::vector<int64_t>& widths) {
  std::vector<std::string> result;
  for (const int64_t width : widths) {
    if (width < 1) {
      raise<InvalidArgument>({.what = str("ngrams of ", width, " tokens"), .wanted = "1 or more"});
    }
    for (size_t begin = 0; begin + static_cast<size_t>(width) <= tokens.size(); ++begin) {
      std::string joined = tokens[begin];
      for (size_t i = 1; i < static_cast<size_t>(width); ++i)
        joined.append(" ").append(tokens[begin + i]);
      result.push_back(std::move(joined));
    }
  }
  return result;
}

void close_row(const TextRules& rules, std::vector<std::string> row, TokenRows& rows) {
  if (!rules.ngrams.empty()) row = ngrams_of(row, rules.ngrams);
  std::move(row.begin(), row.end(), std::back_inserter(rows.tokens));
  rows.row_splits.push_back(static_cast<int64_t>(rows.tokens.size()));
}

}  // namespace

TokenRows tokens_of(const TextRules& rules, const Literal& texts) {
  const bool splits = rules.split_function || rules.split != "none";
  if (texts.dtype() != DType::string || texts.rank() > 2 ||
      (splits && texts.rank() == 2 && texts.shape()[-1] != 1)) {
    raise<InvalidArgument>(
        {.what = str("texts are ", to_string(texts.dtype()), texts.shape()),
         .wanted = splits ? "strings [rows] or [rows, 1]" : "strings [rows, tokens]"});
  }
  const int64_t length = splits || texts.rank() == 0 ? 1 : texts.shape()[-1];
  TokenRows result;
  std::vector<std::string> row;
  for (int64_t i = 0; i < texts.size(); ++i) {
    std::string text = standardized(rules, texts.string_at(i));
    if (rules.split_function) {
      row = rules.split_function(text);
    } else if (rules.split == "whitespace") {
      split_at_spaces(text, row);
    } else if (rules.split == "character") {
      split_characters(text, row);
    } else {
      row.push_back(std::move(text));
    }
    if ((i + 1) % length == 0) close_row(rules, std::exchange(row, {}), result);
  }
  return result;
}

}  // namespace systolic::inline v0
