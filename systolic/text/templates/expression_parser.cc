#include "systolic/text/templates/expression_parser.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace text {
namespace {

using Kind = Expression::Kind;
using TokenKind = TemplateToken::Kind;

constexpr int most_levels = 64;
constexpr int most_tree_levels = 256;

std::string shown(const TemplateToken& token) {
  if (token.kind == TokenKind::last || token.kind == TokenKind::text) return "the end of the text";
  if (token.kind == TokenKind::end) return "the end of the tag";
  return str("'", token.text.substr(0, 40), "'");
}

// By how tightly they bind, the loosest first.
const std::vector<std::vector<std::string>> levels = {{"+", "-"}, {"~"}, {"*", "/", "//", "%"}};

}  // namespace

void Expression::add(ExpressionPtr child) {
  if (child != nullptr) depth = std::max(depth, child->depth + 1);
  children.push_back(std::move(child));
  if (depth > most_tree_levels)
    fail_in_template(line, "an expression of too many parts", str("at most ", most_tree_levels));
}

void Expression::add(std::vector<Argument> given) {
  for (const Argument& one : given) depth = std::max(depth, one.value->depth + 1);
  arguments = std::move(given);
}

ExpressionParser::Level::Level(ExpressionParser& parser) : parser_(parser) {
  if (++parser.level_ <= most_levels) return;
  --parser.level_;
  fail_in_template(parser.peek().line, "it is nested too deep",
                   str("at most ", most_levels, " levels"));
}

bool ExpressionParser::is_name(std::string_view name, size_t ahead) const {
  return peek(ahead).kind == TokenKind::name && peek(ahead).text == name;
}
bool ExpressionParser::is_symbol(std::string_view symbol, size_t ahead) const {
  return peek(ahead).kind == TokenKind::symbol && peek(ahead).text == symbol;
}
bool ExpressionParser::take_name(std::string_view name) {
  if (!is_name(name)) return false;
  take();
  return true;
}
bool ExpressionParser::take_symbol(std::string_view symbol) {
  if (!is_symbol(symbol)) return false;
  take();
  return true;
}
void ExpressionParser::expect_symbol(std::string_view symbol) {
  if (!take_symbol(symbol)) fail_in_template(peek().line, shown(peek()), str("'", symbol, "'"));
}
std::string ExpressionParser::expect_name() {
  if (peek().kind != TokenKind::name) fail_in_template(peek().line, shown(peek()), "a name");
  return take().text;
}
void ExpressionParser::expect_end() {
  if (peek().kind != TokenKind::end)
    fail_in_template(peek().line, shown(peek()), "the end of the tag");
  take();
}

ExpressionPtr ExpressionParser::made(Kind kind, std::string text) const {
  auto result = std::make_unique<Expression>();
  result->kind = kind;
  result->line = peek().line;
  result->text = std::move(text);
  return result;
}

ExpressionPtr ExpressionParser::binary(ExpressionPtr a, std::string text, ExpressionPtr b) const {
  ExpressionPtr result = made(Kind::binary, std::move(text));
  result->add(std::move(a));
  result->add(std::move(b));
  return result;
}

ExpressionPtr ExpressionParser::expression(bool with_choice) {
  const Level level(*this);
  ExpressionPtr value = either();
  while (with_choice && take_name("if")) {
    ExpressionPtr choice = made(Kind::choice);
    choice->add(std::move(value));
    choice->add(either());
    choice->add(take_name("else") ? expression() : nullptr);
    value = std::move(choice);
  }
  return value;
}

ExpressionPtr ExpressionParser::expressions() {
  ExpressionPtr first = expression();
  if (!is_symbol(",")) return first;
  ExpressionPtr result = made(Kind::list, "tuple");
  result->add(std::move(first));
  while (take_symbol(",") && peek().kind != TokenKind::end) result->add(expression());
  return result;
}

ExpressionPtr ExpressionParser::either() {
  ExpressionPtr value = both();
  while (take_name("or")) value = binary(std::move(value), "or", both());
  return value;
}

ExpressionPtr ExpressionParser::both() {
  ExpressionPtr value = negation();
  while (take_name("and")) value = binary(std::move(value), "and", negation());
  return value;
}

ExpressionPtr ExpressionParser::negation() {
  if (!is_name("not")) return comparison();
  const Level level(*this);
  take();
  ExpressionPtr result = made(Kind::unary, "not");
  result->add(negation());
  return result;
}

ExpressionPtr ExpressionParser::comparison() {
  constexpr std::array<std::string_view, 6> symbols = {"==", "!=", "<", ">", "<=", ">="};
  ExpressionPtr value = by_level(0);
  for (int count = 0;; ++count) {
    const TemplateToken& next = peek();
    const bool compares =
        next.kind == TokenKind::symbol && std::ranges::count(symbols, next.text) > 0;
    const bool is_not_in = is_name("not") && is_name("in", 1);
    if (!compares && !is_not_in && !is_name("in")) return value;
    if (count > 0)  // a < b < c would be a < b and b < c
      fail_in_template(next.line, "a comparison of a comparison", "'and' between the two");
    std::string symbol = take().text;
    if (is_not_in) symbol += " " + take().text;
    value = binary(std::move(value), symbol, by_level(0));
  }
}

ExpressionPtr ExpressionParser::by_level(size_t level) {
  if (level == levels.size()) return unary();
  ExpressionPtr value = by_level(level + 1);
  while (peek().kind == TokenKind::symbol && std::ranges::count(levels[level], peek().text) > 0) {
    const std::string symbol = take().text;
    value = binary(std::move(value), symbol, by_level(level + 1));
  }
  return value;
}

// Filters bind looser than a sign: -3 | abs is that of -3.
ExpressionPtr ExpressionParser::unary(bool with_filters) {
  ExpressionPtr value;
  if (is_symbol("-") || is_symbol("+")) {
    const Level level(*this);
    value = made(Kind::unary, take().text);
    value->add(unary(false));
  } else {
    value = primary();
  }
  value = postfix(std::move(value));
  return with_filters ? filters(std::move(value)) : std::move(value);
}

ExpressionPtr ExpressionParser::filters(ExpressionPtr value) {
  while (true) {
    if (take_symbol("|")) {
      ExpressionPtr result = made(Kind::filter, expect_name());
      result->add(std::move(value));
      if (take_symbol("(")) result->add(arguments());
      value = std::move(result);
    } else if (take_name("is")) {
      value = test(std::move(value));
    } else {
      return value;
    }
  }
}

ExpressionPtr ExpressionParser::test(ExpressionPtr of) {
  const bool negated = take_name("not");
  ExpressionPtr result = made(Kind::test, expect_name());
  result->add(std::move(of));
  if (take_symbol("(")) {
    result->add(arguments());
  } else {
    const TokenKind next = peek().kind;
    const bool takes =
        next == TokenKind::literal || next == TokenKind::whole ||
        (next == TokenKind::name && !is_name("and") && !is_name("or") && !is_name("not") &&
         !is_name("if") && !is_name("else") && !is_name("is") && !is_name("in"));
    if (takes) {
      std::vector<Argument> other;
      other.push_back({"", postfix(primary())});
      result->add(std::move(other));
    }
  }
  if (!negated) return result;
  ExpressionPtr opposite = made(Kind::unary, "not");
  opposite->add(std::move(result));
  return opposite;
}

ExpressionPtr ExpressionParser::postfix(ExpressionPtr value) {
  while (true) {
    if (take_symbol(".")) {
      const bool is_place = peek().kind == TokenKind::whole;
      ExpressionPtr result = made(is_place ? Kind::item : Kind::attribute);
      result->add(std::move(value));
      if (is_place) {
        result->add(primary());
      } else {
        result->text = expect_name();
      }
      value = std::move(result);
    } else if (take_symbol("[")) {
      value = subscript(std::move(value));
    } else if (take_symbol("(")) {
      ExpressionPtr result = made(Kind::call);
      result->add(std::move(value));
      result->add(arguments());
      value = std::move(result);
    } else {
      return value;
    }
  }
}

ExpressionPtr ExpressionParser::subscript(ExpressionPtr of) {
  const auto part = [&]() -> ExpressionPtr {
    return is_symbol(":") || is_symbol("]") ? nullptr : expression();
  };
  ExpressionPtr result = made(Kind::item);
  result->add(std::move(of));
  result->add(part());
  if (is_symbol(":")) {
    result->kind = Kind::slice;
    for (int i = 0; i < 2; ++i) result->add(take_symbol(":") ? part() : nullptr);
  } else if (result->children[1] == nullptr) {
    fail_in_template(peek().line, "[]", "a place or a key in the brackets");
  }
  expect_symbol("]");
  return result;
}

std::vector<Argument> ExpressionParser::arguments() {
  const Level level(*this);
  std::vector<Argument> result;
  while (!take_symbol(")")) {
    Argument argument;
    if (peek().kind == TokenKind::name && is_symbol("=", 1)) {
      argument.name = take().text;
      take();
    }
    argument.value = expression();
    result.push_back(std::move(argument));
    if (!is_symbol(")")) expect_symbol(",");
  }
  return result;
}

ExpressionPtr ExpressionParser::list(std::string_view close) {
  ExpressionPtr result = made(Kind::list);
  while (!take_symbol(close)) {
    result->add(expression());
    if (!is_symbol(close)) expect_symbol(",");
  }
  return result;
}

ExpressionPtr ExpressionParser::map() {
  ExpressionPtr result = made(Kind::map);
  while (!take_symbol("}")) {
    result->add(expression());
    expect_symbol(":");
    result->add(expression());
    if (!is_symbol("}")) expect_symbol(",");
  }
  return result;
}

ExpressionPtr ExpressionParser::primary() {
  const Level level(*this);
  const TemplateToken token = take();
  ExpressionPtr result = made(Kind::constant);
  switch (token.kind) {
    case TokenKind::literal:
      result->value = token.text;
      while (peek().kind == TokenKind::literal) result->text += take().text;
      result->value = token.text + std::exchange(result->text, {});
      return result;
    case TokenKind::whole:
      result->value = static_cast<int64_t>(std::stoll(token.text));
      return result;
    case TokenKind::number:
      result->value = std::strtod(token.text.c_str(), nullptr);
      return result;
    case TokenKind::name:
      if (token.text == "true" || token.text == "True") {
        result->value = true;
      } else if (token.text == "false" || token.text == "False") {
        result->value = false;
      } else if (token.text == "none" || token.text == "None") {
        result->value = Value::None{};
      } else {
        result->kind = Kind::name;
        result->text = token.text;
      }
      return result;
    default:
      break;
  }
  if (token.text == "[" && token.kind == TokenKind::symbol) return list("]");
  if (token.text == "{" && token.kind == TokenKind::symbol) return map();
  if (token.text != "(" || token.kind != TokenKind::symbol)
    fail_in_template(token.line, shown(token), "an expression");
  if (take_symbol(")")) return made(Kind::list, "tuple");
  ExpressionPtr inside = expression();
  if (is_symbol(",")) {
    take();
    ExpressionPtr rest = list(")");
    rest->text = "tuple";
    rest->add(std::move(inside));
    std::rotate(rest->children.begin(), rest->children.end() - 1, rest->children.end());
    return rest;
  }
  expect_symbol(")");
  return inside;
}

}  // namespace text
}  // namespace systolic::inline v0
