// Moves over the characters of a program's source: white space and comments, words, punctuation,
// numbers, strings. It makes no copies and no tokens; the parser asks for what it expects.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "systolic/stablehlo/program.h"

namespace systolic::inline v0 {
namespace stablehlo {

class Scanner {
 public:
  explicit Scanner(const Program& program) : program_(program), text_(*program.source) {}

  // Where the next token starts, after white space and comments.
  size_t position() const;
  void move_to(size_t position) { at_ = position; }
  bool at_end() const { return position() == text_.size(); }
  // From there to where reading stopped.
  std::string_view from(size_t start) const { return text_.substr(start, at_ - start); }

  // The next character; 0 at the end.
  char peek() const {
    const size_t next = position();
    return next < text_.size() ? text_[next] : '\0';
  }
  // Takes `literal` if it comes next; one that ends in a letter must end there.
  bool accept(std::string_view literal);
  void expect(std::string_view literal);
  // Would accept() take it?
  bool next_is(std::string_view literal) const;

  // Letters, digits, "_", "$" and "."; empty when none comes next.
  std::string_view word();
  // Digits alone: of "2x3xf32" the 2.
  std::string_view digits();
  std::string_view expect_word(std::string_view wanted);
  // What follows %, @, # or !: letters, digits, "_", "$", ".", "-"; or a number.
  std::string_view suffix();
  // "..." with its quotes taken off; escapes stay as written.
  std::string_view string();
  // A sign, then digits, hexadecimal digits, or a float; without a '+' before it, and empty when
  // none comes next.
  std::string_view number();
  int64_t integer(std::string_view wanted);

  // Everything up to the bracket that closes one already taken, which is taken too: brackets nest
  // and strings are skipped.
  std::string_view until_closing(char open, char close);

  [[noreturn]] void fail(std::string wanted, std::string what = "cannot read this") {
    fail_at(position(), std::move(wanted), std::move(what));
  }
  [[noreturn]] void fail_at(size_t position, std::string wanted, std::string what);

  // Raises where nesting goes too deep; lives as long as the nested thing is read.
  class Depth {
   public:
    explicit Depth(Scanner& scanner);
    ~Depth() { --scanner_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    Scanner& scanner_;
  };

 private:
  void skip_space() { at_ = position(); }
  void skip_comment();
  void skip_string();

  const Program& program_;
  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
};

// The characters that make words; as bytes, whatever the locale.
// 0 to 2^64 - 1 in decimal digits, and nothing else.
bool parse_unsigned(std::string_view text, uint64_t& value);

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_word(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '$' || c == '.';
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
