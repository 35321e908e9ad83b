#include "systolic/text/patterns/known_patterns.h"

#include <algorithm>

#include "systolic/base/text.h"
#include "systolic/text/unicode/properties.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {
namespace {

// GPT-4's and Llama 3's, and Qwen's, which takes one digit at a time.
constexpr std::string_view gpt4_head = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|)";
constexpr std::string_view gpt4_tail = R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

// A place in a text.
class Cursor {
 public:
  Cursor(std::string_view text, size_t at) : text_(text), at_(at) {}
  size_t at() const { return at_; }
  bool ended() const { return at_ >= text_.size(); }
  // The properties of the character here; 0 at the end.
  uint32_t flags() const { return ended() ? 0 : properties(character_at(text_, at_)); }
  char32_t character() const { return ended() ? 0 : character_at(text_, at_); }
  void step() { at_ += utf8_size(static_cast<unsigned char>(text_[at_])); }
  // Moves past characters with one of the properties; returns whether there were any.
  bool skip(uint32_t wanted) {
    const size_t begin = at_;
    while (!ended() && (flags() & wanted) != 0) step();
    return at_ > begin;
  }
  bool skip_without(uint32_t unwanted) {
    const size_t begin = at_;
    while (!ended() && (flags() & unwanted) == 0) step();
    return at_ > begin;
  }

 private:
  std::string_view text_;
  size_t at_;
};

// The end of 's, 't, 're, 've, 'm, 'll or 'd at `at`, or 0.
size_t contraction_end(std::string_view text, size_t at) {
  if (text[at] != '\'') return 0;
  const std::string_view rest = text.substr(at + 1, 2);
  if (rest == "re" || rest == "ve" || rest == "ll") return at + 3;
  if (!rest.empty() && std::string_view("stmd").find(rest[0]) != std::string_view::npos) {
    return at + 2;
  }
  return 0;
}

// The same for capitals; the long s (U+017F) is one of the forms of s.
size_t any_contraction_end(std::string_view text, size_t at) {
  if (text[at] != '\'') return 0;
  if (text.substr(at + 1, 2) == "\u017F") return at + 3;
  std::string lower(text.substr(at, 3));
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  const size_t end = contraction_end(lower, 0);
  return end == 0 ? 0 : at + end;
}

// \s+(?!\S)|\s+ at a whitespace: all but the last of the whitespaces where a character follows.
size_t spaces_end(std::string_view text, size_t at) {
  Cursor cursor(text, at);
  cursor.skip(whitespace);
  if (cursor.ended()) return cursor.at();
  size_t last = cursor.at();
  character_before(text, last);
  return last > at ? last : cursor.at();
}

size_t gpt4_match(std::string_view text, size_t at, int most_digits) {
  if (const size_t end = any_contraction_end(text, at)) return end;
  Cursor cursor(text, at);
  const uint32_t first = cursor.flags();
  const char32_t c = cursor.character();
  if ((first & letter) != 0) {
    cursor.skip(letter);
    return cursor.at();
  }
  if ((first & number) != 0) {
    for (int i = 0; i < most_digits && (cursor.flags() & number) != 0; ++i) cursor.step();
    return cursor.at();
  }
  cursor.step();
  if (c != '\r' && c != '\n' && cursor.skip(letter)) return cursor.at();
  cursor = Cursor(text, c == ' ' ? cursor.at() : at);
  const auto skip_line_ends = [&] {
    while (cursor.character() == '\r' || cursor.character() == '\n') cursor.step();
  };
  if (cursor.skip_without(whitespace | letter | number)) {
    skip_line_ends();
    return cursor.at();
  }
  // \s*[\r\n]+: up to the last line end among the whitespaces
  size_t last_line_end = 0;
  for (cursor = Cursor(text, at); (cursor.flags() & whitespace) != 0;) {
    const char32_t space = cursor.character();
    cursor.step();
    if (space == '\r' || space == '\n') last_line_end = cursor.at();
  }
  return last_line_end != 0 ? last_line_end : spaces_end(text, at);
}

class Gpt2Pattern : public Pattern {
 public:
  std::vector<Range> find_all(const std::string& text) const override {
    std::vector<Range> found;
    for (size_t at = 0; at < text.size();) {
      const size_t end = gpt2_match(text, at);
      found.push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(end)});
      at = end;
    }
    return found;
  }
};

class Gpt4Pattern : public Pattern {
 public:
  explicit Gpt4Pattern(int most_digits) : most_digits_(most_digits) {}
  std::vector<Range> find_all(const std::string& text) const override {
    std::vector<Range> found;
    for (size_t at = 0; at < text.size();) {
      const size_t end = gpt4_match(text, at, most_digits_);
      found.push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(end)});
      at = end;
    }
    return found;
  }

 private:
  int most_digits_;
};

}  // namespace

size_t gpt2_match(std::string_view text, size_t at) {
  if (const size_t end = contraction_end(text, at)) return end;
  Cursor cursor(text, at);
  const uint32_t first = cursor.flags();
  if (cursor.character() == ' ') cursor.step();
  if (cursor.skip(letter) || cursor.skip(number) ||
      cursor.skip_without(whitespace | letter | number)) {
    return cursor.at();
  }
  if ((first & whitespace) != 0) return spaces_end(text, at);
  return text.size();
}

std::shared_ptr<const Pattern> known_pattern(const std::string& pattern) {
  if (pattern == gpt2_pattern) return std::make_shared<Gpt2Pattern>();
  const auto is_gpt4 = [&](std::string_view digits) {
    return pattern == str(gpt4_head, digits, gpt4_tail);
  };
  if (is_gpt4(R"(\p{N}{1,3})")) return std::make_shared<Gpt4Pattern>(3);
  if (is_gpt4(R"(\p{N})")) return std::make_shared<Gpt4Pattern>(1);
  return nullptr;
}

}  // namespace text
}  // namespace systolic::inline v0
