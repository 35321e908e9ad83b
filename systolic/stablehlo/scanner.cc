#include "systolic/stablehlo/scanner.h"

#include <algorithm>
#include <charconv>

#include "systolic/base/text.h"
#include "systolic/stablehlo/parse.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

bool is_hexadecimal(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

constexpr size_t shown_characters = 24;

}  // namespace

bool parse_unsigned(std::string_view text, uint64_t& value) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  return fault == std::errc() && end == text.data() + text.size() && !text.empty();
}

size_t Scanner::position() const {
  size_t next = at_;
  while (next < text_.size()) {
    const char c = text_[next];
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++next;
    } else if (c == '/' && next + 1 < text_.size() && text_[next + 1] == '/') {
      next = std::min(text_.find('\n', next), text_.size());
    } else {
      break;
    }
  }
  return next;
}

void Scanner::skip_comment() {
  const size_t end = text_.find('\n', at_);
  at_ = end == std::string_view::npos ? text_.size() : end;
}

bool Scanner::next_is(std::string_view literal) const {
  const size_t next = position();
  if (text_.compare(next, literal.size(), literal) != 0) return false;
  const size_t end = next + literal.size();
  return !is_word(literal.back()) || end >= text_.size() || !is_word(text_[end]);
}

bool Scanner::accept(std::string_view literal) {
  if (!next_is(literal)) return false;
  at_ = position() + literal.size();
  return true;
}

void Scanner::expect(std::string_view literal) {
  if (!accept(literal)) fail(str("'", literal, "'"));
}

std::string_view Scanner::word() {
  skip_space();
  const size_t start = at_;
  while (at_ < text_.size() && is_word(text_[at_])) ++at_;
  return from(start);
}

std::string_view Scanner::digits() {
  skip_space();
  const size_t start = at_;
  while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  return from(start);
}

std::string_view Scanner::expect_word(std::string_view wanted) {
  const std::string_view found = word();
  if (found.empty()) fail(std::string(wanted));
  return found;
}

std::string_view Scanner::suffix() {
  const size_t start = at_;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    const bool dash = c == '-' && !(at_ + 1 < text_.size() && text_[at_ + 1] == '>');
    if (!is_word(c) && !dash) break;
    ++at_;
  }
  if (at_ == start) fail_at(at_, "a name", "a name is missing");
  return from(start);
}

void Scanner::skip_string() {
  const size_t start = at_++;
  while (at_ < text_.size() && text_[at_] != '"') {
    if (text_[at_] == '\n') break;
    at_ += text_[at_] == '\\' ? 2 : 1;
  }
  if (at_ >= text_.size() || text_[at_] != '"') {
    at_ = text_.size();
    fail_at(start, "'\"' at its end", "a string has no end in its line");
  }
  ++at_;
}

std::string_view Scanner::string() {
  if (peek() != '"') fail("a string");
  skip_space();
  const size_t start = at_ + 1;
  skip_string();
  return text_.substr(start, at_ - 1 - start);
}

std::string_view Scanner::number() {
  skip_space();
  size_t start = at_;
  size_t i = at_;
  const auto digit = [&] { return i < text_.size() && is_digit(text_[i]); };
  if (i < text_.size() && (text_[i] == '-' || text_[i] == '+')) ++i;
  // The specification has the '+', MLIR, which may read what we print, has not.
  if (i > start && text_[start] == '+') start = i;
  if (!digit()) return {};
  if (text_[i] == '0' && i + 2 < text_.size() && text_[i + 1] == 'x' &&
      is_hexadecimal(text_[i + 2])) {
    for (i += 2; i < text_.size() && is_hexadecimal(text_[i]);) ++i;
  } else {
    while (digit()) ++i;
    if (i < text_.size() && text_[i] == '.') {
      ++i;
      while (digit()) ++i;
    }
    size_t exponent = i + 1;
    if (i < text_.size() && (text_[i] == 'e' || text_[i] == 'E')) {
      if (exponent < text_.size() && (text_[exponent] == '-' || text_[exponent] == '+')) ++exponent;
      if (exponent < text_.size() && is_digit(text_[exponent])) {
        for (i = exponent; digit();) ++i;
      }
    }
  }
  at_ = i;
  return from(start);
}

int64_t Scanner::integer(std::string_view wanted) {
  const size_t start = position();
  const std::string_view text = number();
  int64_t value = 0;
  if (!parse_number(text, value)) fail_at(start, std::string(wanted), "cannot read this");
  return value;
}

std::string_view Scanner::until_closing(char open, char close) {
  const size_t start = at_;
  int64_t depth = 1;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '"') {
      skip_string();
      --at_;
    } else if (c == '/' && at_ + 1 < text_.size() && text_[at_ + 1] == '/') {
      skip_comment();
      --at_;
    } else if (c == '-' && at_ + 1 < text_.size() && text_[at_ + 1] == '>') {
      ++at_;  // an arrow closes nothing
    } else if (c == open) {
      ++depth;
    } else if (c == close && --depth == 0) {
      ++at_;
      return text_.substr(start, at_ - 1 - start);
    }
  }
  fail_at(start, str("'", close, "'"), str("'", open, "' is never closed"));
}

void Scanner::fail_at(size_t position, std::string wanted, std::string what) {
  std::string_view rest = text_.substr(std::min(position, text_.size()));
  rest = rest.substr(0, rest.find('\n'));
  std::string got = position >= text_.size() ? "the end of the text" : "the end of the line";
  if (!rest.empty()) {
    std::string shown(rest.substr(0, shown_characters));
    for (char& c : shown) {
      if (c < ' ' || c > '~') c = '?';  // bytes that a terminal may obey
    }
    got = str("'", shown, rest.size() > shown_characters ? "..." : "", "'");
  }
  raise_at(program_, position, std::move(what), std::move(got), std::move(wanted));
}

Scanner::Depth::Depth(Scanner& scanner) : scanner_(scanner) {
  if (++scanner.depth_ > max_nesting) {
    --scanner.depth_;
    scanner.fail(str("at most ", max_nesting, " levels"), "this nests too deep");
  }
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
