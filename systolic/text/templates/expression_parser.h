// Reads the expressions of a template. Internal to text.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/text/templates/lexer.h"
#include "systolic/text/templates/nodes.h"

namespace systolic::inline v0 {
namespace text {

class ExpressionParser {
 public:
  explicit ExpressionParser(std::vector<TemplateToken> tokens) : tokens_(std::move(tokens)) {}

  const TemplateToken& peek(size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  TemplateToken take() { return at_ + 1 < tokens_.size() ? tokens_[at_++] : tokens_[at_]; }
  bool is_name(std::string_view name, size_t ahead = 0) const;
  bool is_symbol(std::string_view symbol, size_t ahead = 0) const;
  bool take_name(std::string_view name);      // where it is next
  bool take_symbol(std::string_view symbol);  // where it is next
  void expect_symbol(std::string_view symbol);
  std::string expect_name();
  void expect_end();  // of a tag

  ExpressionPtr expression(bool with_choice = true);
  // a, b: a list where there are several.
  ExpressionPtr expressions();
  // Arguments in brackets, the first of which is next.
  std::vector<Argument> arguments();
  ExpressionPtr filters(ExpressionPtr input);  // | name(...) ...

  // One level more or less; fails beyond 64.
  class Level {
   public:
    explicit Level(ExpressionParser& parser);
    ~Level() { --parser_.level_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    ExpressionParser& parser_;
  };

 private:
  ExpressionPtr made(Expression::Kind kind, std::string text = {}) const;
  ExpressionPtr binary(ExpressionPtr a, std::string text, ExpressionPtr b) const;
  ExpressionPtr either();
  ExpressionPtr both();
  ExpressionPtr negation();
  ExpressionPtr comparison();
  ExpressionPtr by_level(size_t level);
  ExpressionPtr unary(bool with_filters = true);
  ExpressionPtr postfix(ExpressionPtr value);
  ExpressionPtr subscript(ExpressionPtr of);
  ExpressionPtr primary();
  ExpressionPtr list(std::string_view close);
  ExpressionPtr map();
  ExpressionPtr test(ExpressionPtr of);

  std::vector<TemplateToken> tokens_;
  size_t at_ = 0;
  int level_ = 0;
};

}  // namespace text
}  // namespace systolic::inline v0
