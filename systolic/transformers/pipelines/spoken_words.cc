#include "systolic/transformers/pipelines/spoken_words.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "systolic/text/unicode/properties.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace {

constexpr std::string_view marks = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
constexpr std::string_view before_words = "\"'“¡¿([{-";
constexpr std::string_view after_words = "\"'.。,，!！?？:：”)]}、";
constexpr char32_t replacement = 0xFFFD;

std::string_view stripped(std::string_view text) {
  const auto is_space = [](char32_t c) {
    return text::has(c, text::whitespace) || (c >= 0x1C && c <= 0x1F);
  };
  while (!text.empty() && is_space(text::character_at(text, 0)))
    text.remove_prefix(text::utf8_size(static_cast<unsigned char>(text[0])));
  for (size_t end = text.size(); end > 0; text = text.substr(0, end))
    if (!is_space(text::character_before(text, end))) break;
  return text;
}

// Also of a text without any letter, as transformers has it.
bool is_in(std::string_view text, std::string_view several) {
  return several.find(text) != std::string_view::npos;
}

// Tokens whose bytes make whole characters.
std::vector<SpokenWord> pieces_of(const Tokenizer& tokenizer, const std::vector<int32_t>& tokens) {
  const std::u32string whole = text::to_characters(tokenizer.decode(tokens, false));
  std::vector<SpokenWord> pieces;
  size_t first = 0, characters = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const auto some = std::span(tokens).subspan(first, i + 1 - first);
    const std::string decoded = tokenizer.decode(some, false);
    const std::u32string read = text::to_characters(decoded);
    const size_t at = read.find(replacement);
    // What cannot be read in the whole text neither is whole, too.
    if (at != std::u32string::npos && characters + at < whole.size() &&
        whole[characters + at] != replacement)
      continue;
    pieces.push_back({.text = decoded, .first = first, .last = i});
    first = i + 1;
    characters += read.size();
  }
  return pieces;
}

bool begins_word(const SpokenWord& piece) {
  return piece.text.starts_with(" ") || is_in(stripped(piece.text), marks);
}

void append(SpokenWord& word, const SpokenWord& next) {
  word.text += next.text;
  word.last = next.last;
}

// Marks that stand before a word become part of it; an emptied word stays, as a place.
void join_before(std::vector<SpokenWord>& words) {
  size_t after = words.size() - 1;
  for (size_t i = words.size() - 1; i-- > 0;) {
    SpokenWord& mark = words[i];
    if (!mark.text.starts_with(" ") || !is_in(stripped(mark.text), before_words)) {
      after = i;
      continue;
    }
    words[after] = {
        .text = mark.text + words[after].text, .first = mark.first, .last = words[after].last};
    mark.text.clear();
  }
}

void join_after(std::vector<SpokenWord>& words) {
  size_t before = 0;
  for (size_t i = 1; i < words.size(); ++i) {
    SpokenWord& mark = words[i];
    if (words[before].text.ends_with(" ") || !is_in(mark.text, after_words)) {
      before = i;
      continue;
    }
    if (!mark.text.empty()) append(words[before], mark);
    mark.text.clear();
  }
}

}  // namespace

std::vector<SpokenWord> spoken_words(const Tokenizer& tokenizer,
                                     const std::vector<int32_t>& tokens) {
  std::vector<SpokenWord> words;
  for (SpokenWord& piece : pieces_of(tokenizer, tokens)) {
    if (words.empty() || begins_word(piece)) {
      words.push_back(std::move(piece));
    } else {
      append(words.back(), piece);
    }
  }
  if (words.empty()) return words;
  join_before(words);
  join_after(words);
  std::erase_if(words, [](const SpokenWord& word) { return word.text.empty(); });
  return words;
}

}  // namespace systolic::inline v0
