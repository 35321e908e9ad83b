#include "systolic/text/templates/parser.h"

#include <utility>

#include "systolic/base/error.h"
#include "systolic/text/templates/expression_parser.h"

namespace systolic::inline v0 {
namespace text {
namespace {

using Kind = Statement::Kind;
using TokenKind = TemplateToken::Kind;

class StatementParser {
 public:
  explicit StatementParser(std::string_view source) : in_(template_tokens(source)) {}

  Statements whole() {
    Statements result = body();
    if (in_.peek().kind != TokenKind::last)
      fail_in_template(in_.peek().line, str("'", in_.peek(1).text, "' without its begin"));
    return result;
  }

 private:
  std::unique_ptr<Statement> made(Kind kind) const {
    auto result = std::make_unique<Statement>();
    result->kind = kind;
    result->line = in_.peek().line;
    return result;
  }

  // Up to a block that ends or divides another, which is left, or the end of the template.
  Statements body() {
    const ExpressionParser::Level level(in_);
    Statements result;
    while (in_.peek().kind != TokenKind::last) {
      if (in_.peek().kind == TokenKind::text) {
        result.push_back(made(Kind::text));
        result.back()->name = in_.take().text;
      } else if (in_.peek().kind == TokenKind::begin_output) {
        in_.take();
        result.push_back(made(Kind::output));
        result.back()->value = in_.expressions();
        in_.expect_end();
      } else {
        const std::string& name = in_.peek(1).text;
        if (name.starts_with("end") || name == "else" || name == "elif") return result;
        in_.take();
        block(result);
      }
    }
    return result;
  }

  // What stands in a block whose text is kept: a loop around it cannot be left from inside.
  Statements own_body() {
    const int loops = std::exchange(loops_, 0);
    Statements result = body();
    loops_ = loops;
    return result;
  }

  // {% name %}, which must come next.
  void expect_block(const std::string& name) {
    if (!at_block(name))
      fail_in_template(in_.peek().line, "a block without an end", str("{% ", name, " %}"));
    in_.take(), in_.take();
    in_.expect_end();
  }

  bool at_block(const std::string& name) const {
    return in_.peek().kind == TokenKind::begin_block && in_.is_name(name, 1);
  }

  // What stands after {% else %}; nothing where that does not come.
  Statements other_body() {
    if (!at_block("else")) return {};
    expect_block("else");
    return body();
  }

  void block(Statements& to) {
    const int line = in_.peek().line;
    const std::string name = in_.expect_name();
    if (name == "if") return to.push_back(branch());
    if (name == "for") return to.push_back(loop());
    if (name == "set") return to.push_back(set());
    if (name == "macro") return to.push_back(macro());
    if (name == "filter") return to.push_back(filtered());
    if (name == "break" || name == "continue") {
      if (loops_ == 0) fail_in_template(line, str(name, " outside of a loop"), "for around it");
      to.push_back(made(name == "break" ? Kind::leave : Kind::go_on));
      return in_.expect_end();
    }
    if (name == "generation") {  // what an assistant says, which training looks for
      in_.expect_end();
      for (auto& one : body()) to.push_back(std::move(one));
      return expect_block("endgeneration");
    }
    fail_in_template(line, str("the block '", name.substr(0, 40), "'"),
                     "if, for, set, macro, filter, generation, break or continue");
  }

  std::unique_ptr<Statement> branch() {
    const ExpressionParser::Level level(in_);
    auto result = made(Kind::branch);
    result->value = in_.expression();
    in_.expect_end();
    result->body = body();
    if (at_block("elif")) {
      in_.take(), in_.take();
      result->other.push_back(branch());
      return result;
    }
    result->other = other_body();
    expect_block("endif");
    return result;
  }

  std::unique_ptr<Statement> loop() {
    auto result = made(Kind::loop);
    do {
      result->targets.push_back(in_.expect_name());
    } while (in_.take_symbol(","));
    if (!in_.take_name("in")) fail_in_template(in_.peek().line, "for without in");
    result->value = in_.expression(false);
    if (in_.take_name("if")) result->condition = in_.expression();
    in_.expect_end();
    ++loops_;
    result->body = body();
    --loops_;
    result->other = other_body();
    expect_block("endfor");
    return result;
  }

  std::unique_ptr<Statement> set() {
    auto result = made(Kind::set);
    result->name = in_.expect_name();
    if (in_.take_symbol(".")) {
      result->attribute = in_.expect_name();
    } else {
      result->targets.push_back(result->name);
      while (in_.take_symbol(",")) result->targets.push_back(in_.expect_name());
    }
    if (in_.take_symbol("=")) {
      result->value = in_.expressions();
      in_.expect_end();
      return result;
    }
    result->kind = Kind::set_body;
    in_.expect_end();
    result->body = own_body();
    expect_block("endset");
    return result;
  }

  std::unique_ptr<Statement> macro() {
    auto result = made(Kind::macro);
    result->name = in_.expect_name();
    in_.expect_symbol("(");
    while (!in_.take_symbol(")")) {
      result->targets.push_back(in_.expect_name());
      result->defaults.push_back(in_.take_symbol("=") ? in_.expression() : nullptr);
      if (!in_.is_symbol(")")) in_.expect_symbol(",");
    }
    in_.expect_end();
    result->body = own_body();
    expect_block("endmacro");
    return result;
  }

  std::unique_ptr<Statement> filtered() {
    auto result = made(Kind::filtered);
    auto filter = std::make_unique<Expression>();
    filter->kind = Expression::Kind::filter;
    filter->line = in_.peek().line;
    filter->text = in_.expect_name();
    filter->children.push_back(nullptr);
    if (in_.take_symbol("(")) filter->arguments = in_.arguments();
    result->value = in_.filters(std::move(filter));
    in_.expect_end();
    result->body = own_body();
    expect_block("endfilter");
    return result;
  }

  ExpressionParser in_;
  int loops_ = 0;  // around the place
};

}  // namespace

Statements parse_template(std::string_view source) { return StatementParser(source).whole(); }

}  // namespace text
}  // namespace systolic::inline v0
