// Tests of templates: what may stand after "is".
#include "systolic/text/templates/changed_text.h"
#include "systolic/text/templates/rows.h"

namespace systolic::inline v0 {
namespace text {
namespace {

struct TestRow {
  const char* name;
  bool (*holds)(const Value& of, Given given);
};

bool compares(const char* symbol, const Value& of, Given given) {
  return binary_operation(symbol, of, required(given.find(0, "other"), "a test")).truth();
}

constexpr TestRow test_rows[] = {
    {"boolean", [](const Value& x, Given) { return x.is_boolean(); }},
    {"defined", [](const Value& x, Given) { return !x.is_undefined(); }},
    {"eq", [](const Value& x, Given g) { return compares("==", x, g); }},
    {"equalto", [](const Value& x, Given g) { return compares("==", x, g); }},
    {"even", [](const Value& x, Given) { return x.is_whole() && x.integer() % 2 == 0; }},
    {"false", [](const Value& x, Given) { return x.is_boolean() && !x.truth(); }},
    {"float", [](const Value& x, Given) { return x.is_number() && !x.is_whole(); }},
    {"ge", [](const Value& x, Given g) { return compares(">=", x, g); }},
    {"gt", [](const Value& x, Given g) { return compares(">", x, g); }},
    {"in", [](const Value& x, Given g) { return compares("in", x, g); }},
    {"integer", [](const Value& x, Given) { return x.is_integer(); }},
    {"iterable",
     [](const Value& x, Given) {
       return x.is_text() || x.is_list() || x.is_map() || x.is_undefined();
     }},
    {"le", [](const Value& x, Given g) { return compares("<=", x, g); }},
    {"lt", [](const Value& x, Given g) { return compares("<", x, g); }},
    {"mapping", [](const Value& x, Given) { return x.is_map() && !x.is_name_space(); }},
    {"ne", [](const Value& x, Given g) { return compares("!=", x, g); }},
    {"none", [](const Value& x, Given) { return x.is_none(); }},
    {"number", [](const Value& x, Given) { return x.is_number(); }},
    {"odd", [](const Value& x, Given) { return x.is_whole() && x.integer() % 2 != 0; }},
    {"sequence",
     [](const Value& x, Given) {
       return x.is_text() || x.is_list() || x.is_map() || x.is_undefined();
     }},
    {"string", [](const Value& x, Given) { return x.is_text(); }},
    {"true", [](const Value& x, Given) { return x.is_boolean() && x.truth(); }},
    {"undefined", [](const Value& x, Given) { return x.is_undefined(); }},
};

}  // namespace

bool tested(const std::string& name, const Value& of, const CallArguments& arguments) {
  return row_of(test_rows, name == "==" ? "eq" : name, "the test").holds(of, arguments);
}

}  // namespace text
}  // namespace systolic::inline v0
