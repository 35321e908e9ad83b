#include "systolic/stablehlo/text_reader.h"

#include "systolic/base/text.h"
#include "systolic/stablehlo/scanner.h"

namespace systolic::inline v0 {
namespace stablehlo {

void TextReader::skip_space() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) {
    ++at_;
  }
}

bool TextReader::at_end() {
  skip_space();
  return at_ == text_.size();
}

bool TextReader::next_is(std::string_view literal) {
  skip_space();
  return text_.substr(at_, literal.size()) == literal;
}

bool TextReader::accept(std::string_view literal) {
  if (!next_is(literal)) return false;
  at_ += literal.size();
  return true;
}

void TextReader::expect(std::string_view literal) {
  if (!accept(literal)) fail(str("'", literal, "'"));
}

std::string_view TextReader::word() {
  skip_space();
  const size_t start = at_;
  while (at_ < text_.size() && (is_word(text_[at_]) || text_[at_] == '-')) ++at_;
  if (at_ == start) fail("a name");
  return text_.substr(start, at_ - start);
}

std::string_view TextReader::string() {
  expect("\"");
  const size_t end = text_.find('"', at_);
  if (end == std::string_view::npos) fail("'\"'");
  const std::string_view result = text_.substr(at_, end - at_);
  at_ = end + 1;
  return result;
}

int64_t TextReader::integer() {
  skip_space();
  const size_t start = at_;
  while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '-')) ++at_;
  int64_t value = 0;
  if (!parse_number(text_.substr(start, at_ - start), value)) fail("a number");
  return value;
}

std::vector<int64_t> TextReader::integers() {
  std::vector<int64_t> result;
  expect("[");
  if (accept("]")) return result;
  do result.push_back(integer());
  while (accept(","));
  expect("]");
  return result;
}

void TextReader::skip_to(std::string_view literal) {
  const size_t found = text_.find(literal, at_);
  if (found == std::string_view::npos) fail(str("'", literal, "'"));
  at_ = found + literal.size();
}

void TextReader::fail(std::string wanted) {
  constexpr size_t shown = 60;
  raise_at(program_, offset_, str(what_, " ", text_.substr(0, 4 * shown)),
           at_end() ? "its end" : str("'", text_.substr(at_, shown), "'"), std::move(wanted));
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
