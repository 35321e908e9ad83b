#include "systolic/text/templates/lexer.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "systolic/base/ascii.h"
#include "systolic/base/error.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {
namespace {

using Kind = TemplateToken::Kind;

constexpr size_t most_template_bytes = size_t{1} << 20;
constexpr std::string_view spaces = " \t\n\r\f\v";
constexpr std::array<std::string_view, 25> symbols = {
    "==", "!=", "<=", ">=", "//", "**", "+", "-", "*", "/", "%", "~", "|",
    "(",  ")",  "[",  "]",  "{",  "}",  ".", ",", ":", "=", "<", ">"};

bool starts_name(char c) { return is_ascii_upper(c) || (c >= 'a' && c <= 'z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Lexer {
 public:
  explicit Lexer(std::string source) : source_(std::move(source)) {}

  std::vector<TemplateToken> run() {
    while (at_ < source_.size()) {
      const size_t begin = next_tag();
      add_text(begin);
      if (begin == std::string::npos) break;
      const char kind = source_[begin + 1];
      at_ = begin + 2;
      if (at_ < source_.size() && (source_[at_] == '-' || source_[at_] == '+')) ++at_;
      if (kind == '#') {
        skip_comment();
      } else if (!skip_raw(kind)) {
        read_tag(kind);
      }
    }
    tokens_.push_back({Kind::last, "", line_});
    return std::move(tokens_);
  }

 private:
  size_t next_tag() const {
    for (size_t i = source_.find('{', at_); i != std::string::npos; i = source_.find('{', i + 1)) {
      const char next = i + 1 < source_.size() ? source_[i + 1] : ' ';
      if (next == '{' || next == '%' || next == '#') return i;
    }
    return std::string::npos;
  }

  // Up to a tag, without the space that it takes: all of it by {%-, that of its own line before a
  // block or comment that begins it, unless by {%+.
  void add_text(size_t end) {
    std::string text = source_.substr(at_, end == std::string::npos ? end : end - at_);
    const int line = line_;
    line_ += static_cast<int>(std::count(text.begin(), text.end(), '\n'));
    if (end != std::string::npos) {
      const char mark = end + 2 < source_.size() ? source_[end + 2] : ' ';
      if (mark == '-') {
        text.erase(text.find_last_not_of(spaces) + 1);
      } else if (source_[end + 1] != '{' && mark != '+') {
        const size_t last = text.find_last_not_of(" \t");
        const bool begins =
            last == std::string::npos ? at_ == 0 || source_[at_ - 1] == '\n' : text[last] == '\n';
        if (begins) text.erase(last + 1);
      }
    }
    if (!text.empty()) tokens_.push_back({Kind::text, std::move(text), line});
  }

  // What follows a tag: all space after -%}, the end of the line after a block or a comment.
  void skip_after(bool strips, bool trims) {
    const size_t from = at_;
    if (strips) {
      at_ = std::min(source_.find_first_not_of(spaces, at_), source_.size());
    } else if (trims && at_ < source_.size() && source_[at_] == '\n') {
      ++at_;
    }
    line_ += static_cast<int>(std::count(source_.begin() + static_cast<std::ptrdiff_t>(from),
                                         source_.begin() + static_cast<std::ptrdiff_t>(at_), '\n'));
  }

  void skip_comment() {
    const size_t end = source_.find("#}", at_);
    if (end == std::string::npos) fail_in_template(line_, "a comment without an end", "#}");
    line_ += static_cast<int>(std::count(source_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         source_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at_ = end + 2;
    skip_after(source_[end - 1] == '-', source_[end - 1] != '+');
  }

  // {% raw %} ... {% endraw %}, which is text.
  bool skip_raw(char kind) {
    const auto word_at = [&](size_t from, std::string_view word) {
      const size_t begin = source_.find_first_not_of(spaces, from);
      if (begin == std::string::npos || source_.compare(begin, word.size(), word) != 0)
        return std::string::npos;
      size_t end = std::min(source_.find_first_not_of(spaces, begin + word.size()), source_.size());
      if (end < source_.size() && source_[end] == '-') ++end;
      return source_.compare(end, 2, "%}") == 0 ? end + 2 : std::string::npos;
    };
    const size_t begin = kind == '%' ? word_at(at_, "raw") : std::string::npos;
    if (begin == std::string::npos) return false;
    for (size_t tag = source_.find("{%", begin); tag != std::string::npos;
         tag = source_.find("{%", tag + 1)) {
      const bool marked = tag + 2 < source_.size() && source_[tag + 2] == '-';
      const size_t end = word_at(tag + 2 + (marked ? 1 : 0), "endraw");
      if (end == std::string::npos) continue;
      at_ = begin;
      skip_after(source_[begin - 3] == '-', true);
      at_ = std::min(at_, tag);
      add_text(tag);
      at_ = end;
      skip_after(source_[end - 3] == '-', true);
      return true;
    }
    fail_in_template(line_, "a raw block without an end", "{% endraw %}");
  }

  void read_tag(char kind) {
    const std::string_view close = kind == '{' ? "}}" : "%}";
    tokens_.push_back({kind == '{' ? Kind::begin_output : Kind::begin_block, "", line_});
    int open = 0;  // brackets, in which }} may stand
    while (true) {
      skip_spaces();
      if (at_ >= source_.size())
        fail_in_template(line_, "a tag without an end", std::string(close));
      const bool marked =
          (source_[at_] == '-' || source_[at_] == '+') && source_.compare(at_ + 1, 2, close) == 0;
      if (open == 0 && (marked || source_.compare(at_, 2, close) == 0)) {
        const bool strips = source_[at_] == '-', keeps = source_[at_] == '+';
        at_ += marked ? 3 : 2;
        tokens_.push_back({Kind::end, "", line_});
        return skip_after(strips, kind == '%' && !keeps);
      }
      read_token();
      const std::string& text = tokens_.back().text;
      if (tokens_.back().kind != Kind::symbol) continue;
      if (text == "(" || text == "[" || text == "{") ++open;
      if (text == ")" || text == "]" || text == "}") open = std::max(open - 1, 0);
    }
  }

  void skip_spaces() {
    while (at_ < source_.size() && spaces.find(source_[at_]) != std::string_view::npos)
      line_ += source_[at_++] == '\n' ? 1 : 0;
  }

  void read_token() {
    const char c = source_[at_];
    if (c == '\'' || c == '"') return read_literal(c);
    if (is_digit(c)) return read_number();
    if (starts_name(c)) {
      const size_t begin = at_;
      while (at_ < source_.size() && (starts_name(source_[at_]) || is_digit(source_[at_]))) ++at_;
      tokens_.push_back({Kind::name, source_.substr(begin, at_ - begin), line_});
      return;
    }
    for (const std::string_view symbol : symbols) {
      if (source_.compare(at_, symbol.size(), symbol) != 0) continue;
      tokens_.push_back({Kind::symbol, std::string(symbol), line_});
      at_ += symbol.size();
      return;
    }
    fail_in_template(line_, str("the character '", c, "'"), "an expression");
  }

  // The bytes of e5, E-5 or e+5 at at_; 0 where there is none.
  size_t exponent_size() const {
    size_t at = at_;
    if (at >= source_.size() || (source_[at] != 'e' && source_[at] != 'E')) return 0;
    if (++at < source_.size() && (source_[at] == '-' || source_[at] == '+')) ++at;
    const size_t digits = at;
    while (at < source_.size() && is_digit(source_[at])) ++at;
    return at == digits ? 0 : at - at_;
  }

  void read_number() {
    const size_t begin = at_;
    bool whole = true;
    while (at_ < source_.size() && (is_digit(source_[at_]) || source_[at_] == '_')) ++at_;
    if (at_ + 1 < source_.size() && source_[at_] == '.' && is_digit(source_[at_ + 1])) {
      whole = false;
      for (++at_; at_ < source_.size() && is_digit(source_[at_]);) ++at_;
    }
    if (const size_t size = exponent_size(); size > 0) whole = false, at_ += size;
    std::string text = source_.substr(begin, at_ - begin);
    std::erase(text, '_');
    if (text.size() > 18) fail_in_template(line_, str("the number ", text.substr(0, 40)));
    tokens_.push_back({whole ? Kind::whole : Kind::number, std::move(text), line_});
  }

  void read_literal(char quote) {
    const int line = line_;
    std::string text;
    for (++at_; at_ < source_.size() && source_[at_] != quote; ++at_) {
      line_ += source_[at_] == '\n' ? 1 : 0;
      if (source_[at_] != '\\' || at_ + 1 == source_.size()) {
        text += source_[at_];
        continue;
      }
      ++at_;
      add_escaped(text);
    }
    if (at_ >= source_.size()) fail_in_template(line, "a text without an end", {quote});
    ++at_;
    tokens_.push_back({Kind::literal, std::move(text), line});
  }

  // What a backslash and source_[at_] mean, as in Python's texts; leaves at_ at their last byte.
  void add_escaped(std::string& text) {
    constexpr std::string_view letters = "ntrfvab0\\'\"", meant{"\n\t\r\f\v\a\b\0\\'\"", 11};
    const char c = source_[at_];
    const size_t which = letters.find(c);
    const size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (which != std::string_view::npos) {
      text += meant[which];
    } else if (digits > 0) {
      uint32_t code = 0;
      const char* const begin = source_.data() + at_ + 1;
      const char* const end = begin + std::min(digits, source_.size() - at_ - 1);
      const auto read = std::from_chars(begin, end, code, 16);
      if (read.ptr != begin + digits || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
        fail_in_template(line_, "an escape that is no character", "\\xFF, \\uFFFF or \\U0010FFFF");
      append_utf8(text, code);
      at_ += digits;
    } else if (c == '\n') {
      ++line_;
    } else {
      text += '\\';
      text += c;
    }
  }

  std::string source_;
  size_t at_ = 0;
  int line_ = 1;
  std::vector<TemplateToken> tokens_;
};

}  // namespace

void fail_in_template(int line, std::string what, std::string wanted) {
  raise<InvalidArgument>(
      {.what = str("line ", line, " of a chat template: ", what), .wanted = std::move(wanted)});
}

std::vector<TemplateToken> template_tokens(std::string_view given) {
  if (given.size() > most_template_bytes)
    raise<InvalidArgument>({.what = str("a chat template of ", given.size(), " bytes"),
                            .wanted = str("at most ", most_template_bytes)});
  std::string source;
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i] != '\r') {
      source += given[i];
    } else if (i + 1 == given.size() || given[i + 1] != '\n') {
      source += '\n';
    }
  }
  source = lossy_utf8(source);
  // The last newline of a file is none of the text's.
  if (source.ends_with('\n')) source.pop_back();
  return Lexer(std::move(source)).run();
}

}  // namespace text
}  // namespace systolic::inline v0
