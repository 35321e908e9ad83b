#include "systolic/text/templates/interpreter.h"

#include <algorithm>
#include <ctime>
#include <map>

#include "systolic/base/error.h"
#include "systolic/text/templates/lexer.h"
#include "systolic/text/templates/operations.h"
#include "systolic/text/templates/work.h"

namespace systolic::inline v0 {
namespace text {
namespace {

using Names = std::map<std::string, Value>;
using Kind = Expression::Kind;

constexpr int64_t most_work = 1 << 23;
constexpr int most_calls = 32;
constexpr int most_levels = 400;  // of statements and expressions in each other, macros' too

constexpr std::string_view in_template = " of a chat template: ";

enum class Goes : uint8_t { on, next_round, out };  // after a statement in a loop

// What a loop knows of its round.
Value loop_state(const ValueList& all, size_t i) {
  const auto number = [](size_t n) { return static_cast<int64_t>(n); };
  ValueMap state{{"index", number(i + 1)},
                 {"index0", number(i)},
                 {"first", i == 0},
                 {"last", i + 1 == all.size()},
                 {"length", number(all.size())},
                 {"revindex", number(all.size() - i)},
                 {"revindex0", number(all.size() - i - 1)}};
  if (i > 0) state.emplace_back("previtem", all[i - 1]);
  if (i + 1 < all.size()) state.emplace_back("nextitem", all[i + 1]);
  return state;
}

Value range_of(const CallArguments& given) {
  int64_t part[3] = {0, 0, 1};
  const size_t count = given.places.size();
  if (count < 1 || count > 3) fail_operation("range without its end", "range(begin, end, step)");
  for (size_t i = 0; i < count; ++i) {
    if (!given.places[i].is_whole())
      fail_operation(str("range of ", given.places[i].kind()), "whole numbers");
    part[count == 1 ? 1 : i] = given.places[i].integer();
  }
  if (part[2] == 0) fail_operation("range by steps of 0");
  ValueList result;
  for (int64_t i = part[0]; part[2] > 0 ? i < part[1] : i > part[1];) {
    if (result.size() == limits::template_items)
      fail_operation("range of more than a million numbers");
    result.emplace_back(i);
    if (__builtin_add_overflow(i, part[2], &i)) break;
  }
  return result;
}

Value map_of(const std::string& name, const CallArguments& given) {
  if (!given.places.empty()) fail_operation(name + " of a value", name + "(key=value)");
  ValueMap members(given.names.begin(), given.names.end());
  return name == "dict" ? Value(std::move(members)) : Value::name_space(std::move(members));
}

Value time_text(const std::string& format) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char buffer[256];
  return std::string(buffer, std::strftime(buffer, sizeof(buffer), format.c_str(), &local));
}

class Interpreter {
 public:
  explicit Interpreter(const ValueMap& values) : scopes_(2) {
    for (const auto& [name, value] : values) scopes_[0][name] = value;
  }

  std::string run(const Statements& statements) {
    written(statements);
    return std::move(output_);
  }

 private:
  // One level deeper, for as long as it lives.
  class Level {
   public:
    Level(Interpreter& in, int line) : level_(in.level_) {
      if (++level_ <= most_levels) return;
      --level_;
      fail_in_template(line, "macros and expressions are nested too deep",
                       str("at most ", most_levels, " levels"));
    }
    ~Level() { --level_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    int& level_;
  };

  // Calls f(), whose errors get the line, unless they have one.
  template <class F>
  static auto at_line(int line, F&& f) -> decltype(f()) {
    try {
      return f();
    } catch (const Error& error) {
      if (std::string_view(error.what()).find(in_template) != std::string_view::npos) throw;
      error.rethrow_within(str("line ", line, " of a chat template"));
    }
  }

  void write(const std::string& text, int line) {
    output_ += text;
    written_ += text.size();
    if (written_ > limits::template_text)
      fail_in_template(line, "it writes more than 16 MiB", "a shorter text");
  }

  Goes written(const Statements& statements) {
    for (const auto& one : statements) {
      const Level level(*this, one->line);
      const Goes goes = at_line(one->line, [&] {
        TemplateWork::spend(1);
        return written(*one);
      });
      if (goes != Goes::on) return goes;
    }
    return Goes::on;
  }

  // What they write.
  std::string text_of(const Statements& statements) {
    std::string outer;
    std::swap(outer, output_);
    written(statements);
    std::swap(outer, output_);
    return outer;
  }

  Goes written(const Statement& one) {
    switch (one.kind) {
      case Statement::Kind::text:
        write(one.name, one.line);
        break;
      case Statement::Kind::output:
        write(value_of(*one.value).shown(), one.line);
        break;
      case Statement::Kind::branch:
        return written(value_of(*one.value).truth() ? one.body : one.other);
      case Statement::Kind::loop:
        return loop(one);
      case Statement::Kind::set:
        set(one, value_of(*one.value));
        break;
      case Statement::Kind::set_body:
        set(one, checked_text(text_of(one.body)));
        break;
      case Statement::Kind::macro:
        macros_[one.name] = &one;
        break;
      case Statement::Kind::filtered:
        write(with_input(*one.value, text_of(one.body)).shown(), one.line);
        break;
      case Statement::Kind::leave:
        return Goes::out;
      case Statement::Kind::go_on:
        return Goes::next_round;
    }
    return Goes::on;
  }

  void assign(const std::vector<std::string>& targets, const Value& value, int line) {
    if (targets.size() == 1) {
      scopes_.back()[targets[0]] = value;
      return;
    }
    const ValueList parts = elements_of(value);
    if (parts.size() != targets.size())
      fail_in_template(line, str(parts.size(), " values for ", targets.size(), " names"));
    for (size_t i = 0; i < targets.size(); ++i) scopes_.back()[targets[i]] = parts[i];
  }

  void set(const Statement& one, const Value& value) {
    if (one.attribute.empty()) return assign(one.targets, value, one.line);
    const Value space = name_value(one.name);
    if (!space.is_name_space())
      fail_in_template(one.line, str("set of ", one.name, ".", one.attribute), "a namespace()");
    space.set(one.attribute, value);
  }

  Goes loop(const Statement& one) {
    const Value given = value_of(*one.value);
    ValueList all = elements_of(given);
    scopes_.emplace_back();
    if (one.condition) {
      ValueList kept;
      for (const Value& element : all) {
        TemplateWork::spend(1);
        assign(one.targets, element, one.line);
        if (value_of(*one.condition).truth()) kept.push_back(element);
      }
      all = std::move(kept);
    }
    for (size_t i = 0; i < all.size(); ++i) {
      TemplateWork::spend(1);
      scopes_.back().clear();
      scopes_.back()["loop"] = loop_state(all, i);
      assign(one.targets, all[i], one.line);
      if (written(one.body) == Goes::out) break;
    }
    scopes_.pop_back();
    return all.empty() ? written(one.other) : Goes::on;
  }

  Value name_value(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      const auto found = scope->find(name);
      if (found != scope->end()) return found->second;
    }
    return Value::Undefined{name};
  }

  CallArguments arguments_of(const std::vector<Argument>& given) {
    CallArguments result;
    for (const Argument& one : given) {
      Value value = value_of(*one.value);
      if (one.name.empty()) {
        result.places.push_back(std::move(value));
      } else {
        result.names.emplace_back(one.name, std::move(value));
      }
    }
    return result;
  }

  Value value_of(const Expression& one) {
    const Level level(*this, one.line);
    return at_line(one.line, [&] {
      TemplateWork::spend(1);
      return value_at(one);
    });
  }

  Value part(const Expression& one, size_t i) {
    return one.children[i] == nullptr ? Value(Value::None{}) : value_of(*one.children[i]);
  }

  Value value_at(const Expression& one) {
    switch (one.kind) {
      case Kind::constant:
        return one.value;
      case Kind::name:
        return name_value(one.text);
      case Kind::list: {
        ValueList list;
        for (const auto& child : one.children) list.push_back(value_of(*child));
        return one.text == "tuple" ? Value::tuple(std::move(list)) : Value(std::move(list));
      }
      case Kind::map: {
        ValueMap map;
        for (size_t i = 0; i + 1 < one.children.size(); i += 2) {
          TemplateWork::spend(map.size() / 16);
          put_into(map, value_of(*one.children[i]).shown(), value_of(*one.children[i + 1]));
        }
        return map;
      }
      case Kind::attribute: {
        const Value of = value_of(*one.children[0]);
        if (of.is_undefined()) fail_operation(str(".", one.text, " of ", of.kind()), "a value");
        return of.is_map() ? item_of(of, one.text) : Value(Value::Undefined{one.text});
      }
      case Kind::item:
        return item_of(value_of(*one.children[0]), value_of(*one.children[1]));
      case Kind::slice:
        return slice_of(value_of(*one.children[0]), part(one, 1), part(one, 2), part(one, 3));
      case Kind::call:
        return call(one);
      case Kind::filter:
        return with_input(one, value_of(*one.children[0]));
      case Kind::test:
        return tested(one.text, value_of(*one.children[0]), arguments_of(one.arguments));
      case Kind::unary:
        return unary(one);
      case Kind::binary:
        return binary(one);
      case Kind::choice:
        if (value_of(*one.children[1]).truth()) return value_of(*one.children[0]);
        return one.children[2] == nullptr ? Value() : value_of(*one.children[2]);
    }
    return {};
  }

  // A filter, or several, of a value in the place of the innermost child.
  Value with_input(const Expression& one, const Value& input) {
    const bool inner = one.children[0] != nullptr && one.children[0]->kind == Kind::filter &&
                       is_open(*one.children[0]);
    return filtered(one.text, inner ? with_input(*one.children[0], input) : input,
                    arguments_of(one.arguments));
  }
  static bool is_open(const Expression& filter) {
    const Expression* at = &filter;
    while (at != nullptr && at->kind == Kind::filter) at = at->children[0].get();
    return at == nullptr;
  }

  Value unary(const Expression& one) {
    const Value of = value_of(*one.children[0]);
    if (one.text == "not") return !of.truth();
    if (!of.is_number()) fail_operation(str(one.text, " of ", of.kind()), "a number");
    return binary_operation(one.text, int64_t{0}, of);
  }

  Value binary(const Expression& one) {
    const Value a = value_of(*one.children[0]);
    if (one.text == "and") return a.truth() ? value_of(*one.children[1]) : a;
    if (one.text == "or") return a.truth() ? a : value_of(*one.children[1]);
    return binary_operation(one.text, a, value_of(*one.children[1]));
  }

  Value call(const Expression& one) {
    const Expression& callee = *one.children[0];
    const CallArguments given = arguments_of(one.arguments);
    if (callee.kind == Kind::attribute) {
      const Value of = value_of(*callee.children[0]);
      if (callee.text == "cycle" && of.is_map() && of.find("index0") != nullptr &&
          !given.places.empty())
        return given
            .places[static_cast<size_t>(of.find("index0")->integer()) % given.places.size()];
      return called(callee.text, of, given);
    }
    const std::string& name = callee.text;
    const auto macro = callee.kind == Kind::name ? macros_.find(name) : macros_.end();
    if (macro != macros_.end()) return expanded(*macro->second, given);
    if (callee.kind == Kind::name) {
      if (name == "range") return range_of(given);
      if (name == "namespace" || name == "dict") return map_of(name, given);
      const std::string text = given.places.empty() ? "" : given.places[0].shown();
      if (name == "raise_exception") fail_operation("it says: " + text);
      if (name == "strftime_now") return time_text(text);
    }
    fail_operation(str("a call of '", name.substr(0, 40), "'"),
                   "a macro, range, namespace, dict, raise_exception or strftime_now");
  }

  Value expanded(const Statement& macro, const CallArguments& given) {
    if (++calls_ > most_calls)
      fail_in_template(macro.line, str("the macro '", macro.name, "' calls itself"),
                       str("at most ", most_calls, " calls in each other"));
    TemplateWork::spend(scopes_[0].size() + scopes_[1].size());
    std::vector<Names> callers(2);
    callers[0] = scopes_[0];
    callers[1] = scopes_[1];
    std::swap(scopes_, callers);
    scopes_.emplace_back();
    for (size_t i = 0; i < macro.targets.size(); ++i) {
      const Value* value = given.find(i, macro.targets[i]);
      const Expression* otherwise = macro.defaults[i].get();
      scopes_.back()[macro.targets[i]] = value != nullptr ? *value
                                         : otherwise != nullptr
                                             ? value_of(*otherwise)
                                             : Value(Value::Undefined{macro.targets[i]});
    }
    std::string text = text_of(macro.body);
    std::swap(scopes_, callers);
    --calls_;
    return checked_text(std::move(text));
  }

  std::vector<Names> scopes_;  // what is given, the template's own, loops and macros
  std::map<std::string, const Statement*> macros_;
  std::string output_;
  size_t written_ = 0;
  int calls_ = 0;
  int level_ = 0;
};

}  // namespace

std::string run_template(const Statements& statements, const ValueMap& values) {
  const TemplateWork work(most_work);
  return Interpreter(values).run(statements);
}

}  // namespace text
}  // namespace systolic::inline v0
