// A template as a tree. Internal to text.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/text/templates/value.h"

namespace systolic::inline v0 {
namespace text {

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

struct Argument {
  std::string name;  // "" by place
  ExpressionPtr value;
};

struct Expression {
  enum class Kind : uint8_t {
    constant,   // value
    name,       // text
    list,       // children; a tuple where the text is "tuple"
    map,        // children: key, value, key, value, ...
    attribute,  // children[0] . text
    item,       // children[0] [ children[1] ]
    slice,      // children[0] [ children[1] : children[2] : children[3] ], null where left out
    call,       // children[0] ( arguments )
    filter,     // children[0] | text ( arguments )
    test,       // children[0] is text ( arguments )
    unary,      // text children[0]: "not", "-", "+"
    binary,     // children[0] text children[1]: "and", "==", "in", "~" ...
    choice,     // children[0] if children[1] else children[2], which may be null
  };
  Kind kind = Kind::constant;
  int line = 0;
  int depth = 1;  // of the tree
  std::string text = {};
  Value value = {};
  std::vector<ExpressionPtr> children = {};
  std::vector<Argument> arguments = {};

  // A child, or null. InvalidArgument where the tree gets deeper than 256.
  void add(ExpressionPtr child);
  void add(std::vector<Argument> given);
};

struct Statement;
using Statements = std::vector<std::unique_ptr<Statement>>;

struct Statement {
  enum class Kind : uint8_t {
    text,      // name: as it is
    output,    // value
    branch,    // if value: body, else other
    loop,      // for targets in value [if condition]: body, else other
    set,       // targets = value; or name . attribute = value
    set_body,  // targets[0] = what body writes
    macro,     // name ( targets, with defaults ): body
    filtered,  // body, through value, a filter whose first child is null
    leave,     // break
    go_on,     // continue
  };
  Kind kind = Kind::text;
  int line = 0;
  std::string name = {}, attribute = {};
  std::vector<std::string> targets = {};
  ExpressionPtr value = {}, condition = {};
  std::vector<ExpressionPtr> defaults = {};  // of a macro, null where there is none
  Statements body = {}, other = {};
};

}  // namespace text
}  // namespace systolic::inline v0
