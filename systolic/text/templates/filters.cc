// Filters of templates.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "systolic/base/error.h"
#include "systolic/text/templates/changed_text.h"
#include "systolic/text/templates/rows.h"
#include "systolic/text/templates/work.h"

namespace systolic::inline v0 {
namespace text {
namespace {

Value length_of(const Value& of) {
  if (of.is_text()) return static_cast<int64_t>(characters_of_text(of.text()).size());
  if (of.is_list()) return static_cast<int64_t>(of.list().size());
  if (of.is_map()) return static_cast<int64_t>(of.map().size());
  if (of.is_undefined()) return int64_t{0};
  fail_operation(str("the length of ", of.kind()), "a text, a list or a map");
}

Value whole_of(const Value& of, const Value* otherwise) {
  if (of.is_whole()) return of.integer();
  if (of.is_number() && std::abs(of.number()) < 9e18) return static_cast<int64_t>(of.number());
  const std::string text = of.is_text() ? stripped(of.text(), true, true, nullptr) : "";
  int64_t value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (!text.empty() && end.ec == std::errc() && end.ptr == text.data() + text.size()) return value;
  return otherwise != nullptr ? *otherwise : Value(int64_t{0});
}

Value float_of(const Value& of, const Value* otherwise) {
  if (of.is_number()) return of.number();
  const std::string text = of.is_text() ? stripped(of.text(), true, true, nullptr) : "";
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (!text.empty() && end.ec == std::errc() && end.ptr == text.data() + text.size()) return value;
  return otherwise != nullptr ? *otherwise : Value(0.0);
}

// selectattr("role", "equalto", "user"), rejectattr; select(test) and reject of the elements.
Value chosen(const Value& of, Given given, bool by_attribute, bool wanted) {
  ValueList result;
  const size_t at = by_attribute ? 1 : 0;
  CallArguments rest;
  for (size_t i = at + 1; i < given.places.size(); ++i) rest.places.push_back(given.places[i]);
  for (const Value& one : elements_of(of)) {
    const Value part =
        by_attribute ? item_by_path(one, required(given.find(0, ""), "selectattr")) : one;
    const bool holds = at < given.places.size()
                           ? tested(text_of(given.places[at], "a test's name"), part, rest)
                           : part.truth();
    if (holds == wanted) result.push_back(one);
  }
  return result;
}

Value mapped(const Value& of, Given given) {
  ValueList result;
  const Value* attribute = given.find(SIZE_MAX, "attribute");
  const Value* otherwise = given.find(SIZE_MAX, "default");
  CallArguments rest;
  for (size_t i = 1; i < given.places.size(); ++i) rest.places.push_back(given.places[i]);
  for (const Value& one : elements_of(of)) {
    if (attribute == nullptr) {
      result.push_back(filtered(text_of(required(given.find(0, ""), "map"), "map"), one, rest));
      continue;
    }
    const Value part = item_by_path(one, *attribute);
    result.push_back(part.is_undefined() && otherwise != nullptr ? *otherwise : part);
  }
  return result;
}

Value unique_of(const Value& of) {
  ValueList result;
  for (const Value& one : elements_of(of)) {
    TemplateWork::spend(result.size());
    if (std::find(result.begin(), result.end(), one) == result.end()) result.push_back(one);
  }
  return result;
}

Value indented(const std::string& text, Given given) {
  const Value* width = given.find(0, "width");
  const Value* first = given.find(1, "first");
  const int64_t count = width == nullptr ? 4 : width->is_whole() ? width->integer() : 4;
  const std::string space =
      width != nullptr && width->is_text()
          ? width->text()
          : std::string(static_cast<size_t>(std::clamp<int64_t>(count, 0, 1000)), ' ');
  std::string result;
  const Value newline = "\n";
  const ValueList lines = split_text(text, &newline, -1).list();
  for (size_t i = 0; i < lines.size(); ++i) {
    const bool moves = i > 0 ? !lines[i].text().empty() : first != nullptr && first->truth();
    result += (i > 0 ? "\n" : "") + (moves ? space : "") + lines[i].text();
    check_text_size(result.size());
  }
  return checked_text(result);
}

Value reversed(const Value& of) {
  ValueList all = elements_of(of);
  std::reverse(all.begin(), all.end());
  if (!of.is_text()) return all;
  return joined(all, "", nullptr);
}

Value sorted_items(const Value& of) {
  ValueList items = items_of(of).list();
  std::stable_sort(items.begin(), items.end(), [](const Value& a, const Value& b) {
    return lower(a.list()[0].text()) < lower(b.list()[0].text());
  });
  return items;
}

Value end_of(const Value& of, bool first) {
  const ValueList all = elements_of(of);
  if (all.empty()) return Value::Undefined{first ? "first" : "last"};
  return first ? all.front() : all.back();
}

Value or_default(const Value& of, Given given) {
  const Value* also_false = given.find(1, "boolean");
  const bool is_missing =
      of.is_undefined() || (also_false != nullptr && also_false->truth() && !of.truth());
  const Value* otherwise = given.find(0, "default_value");
  return !is_missing ? of : otherwise != nullptr ? *otherwise : Value("");
}

Value sum_of_all(const Value& of, Given given) {
  const Value* attribute = given.find(0, "attribute");
  const Value* start = given.find(1, "start");
  Value sum = start != nullptr ? *start : Value(int64_t{0});
  for (const Value& one : elements_of(of)) {
    const bool by_path = attribute != nullptr && !attribute->is_none();
    sum = binary_operation("+", sum, by_path ? item_by_path(one, *attribute) : one);
  }
  return sum;
}

Value absolute_of(const Value& of) {
  if (!of.is_number()) fail_operation(str("abs of ", of.kind()), "a number");
  return of.number() < 0 ? binary_operation("-", int64_t{0}, of) : of;
}

Value json_of(const Value& of, Given given) {
  for (const auto& [name, value] : given.names) {
    if (name != "indent" && (name != "ensure_ascii" || value.truth()))
      raise<Unimplemented>({.what = str("tojson(", name.substr(0, 40), "=...)"),
                            .wanted = "tojson(indent=...), or tojson alone"});
  }
  const Value* indent = given.find(1, "indent");
  const bool has = indent != nullptr && indent->is_whole();
  return of.json(has ? std::clamp<int64_t>(indent->integer(), 0, 64) : -1);
}

struct FilterRow {
  const char* name;
  Value (*apply)(const Value& of, Given given);
};

constexpr FilterRow filter_rows[] = {
    {"abs", [](const Value& x, Given) { return absolute_of(x); }},
    {"capitalize", [](const Value& x, Given) { return Value(capitalized(x.shown())); }},
    {"count", [](const Value& x, Given) { return length_of(x); }},
    {"d", or_default},
    {"default", or_default},
    {"dictsort", [](const Value& x, Given) { return sorted_items(x); }},
    {"first", [](const Value& x, Given) { return end_of(x, true); }},
    {"float", [](const Value& x, Given g) { return float_of(x, g.find(0, "default")); }},
    {"indent", [](const Value& x, Given g) { return indented(text_of(x, "indent"), g); }},
    {"int", [](const Value& x, Given g) { return whole_of(x, g.find(0, "default")); }},
    {"items",
     [](const Value& x, Given) { return x.is_undefined() ? Value(ValueList()) : items_of(x); }},
    {"join",
     [](const Value& x, Given g) {
       const Value* by = g.find(0, "d");
       return joined(x, by != nullptr ? by->shown() : "", g.find(1, "attribute"));
     }},
    {"last", [](const Value& x, Given) { return end_of(x, false); }},
    {"length", [](const Value& x, Given) { return length_of(x); }},
    {"list", [](const Value& x, Given) { return Value(elements_of(x)); }},
    {"lower", [](const Value& x, Given) { return Value(lower(x.shown())); }},
    {"map", mapped},
    {"reject", [](const Value& x, Given g) { return chosen(x, g, false, false); }},
    {"rejectattr", [](const Value& x, Given g) { return chosen(x, g, true, false); }},
    {"replace",
     [](const Value& x, Given g) {
       return replaced(x.shown(), required(g.find(0, "old"), "replace"),
                       required(g.find(1, "new"), "replace"), -1);
     }},
    {"reverse", [](const Value& x, Given) { return reversed(x); }},
    {"safe", [](const Value& x, Given) { return x; }},
    {"select", [](const Value& x, Given g) { return chosen(x, g, false, true); }},
    {"selectattr", [](const Value& x, Given g) { return chosen(x, g, true, true); }},
    {"string", [](const Value& x, Given) { return Value(x.shown()); }},
    {"sum", [](const Value& x, Given g) { return sum_of_all(x, g); }},
    {"title", [](const Value& x, Given) { return Value(titled_words(x.shown())); }},
    {"tojson", json_of},
    {"trim", [](const Value& x,
                Given g) { return Value(stripped(x.shown(), true, true, g.find(0, "chars"))); }},
    {"unique", [](const Value& x, Given) { return unique_of(x); }},
    {"upper", [](const Value& x, Given) { return Value(upper(x.shown())); }},
};

}  // namespace

Value filtered(const std::string& name, const Value& of, const CallArguments& arguments) {
  return row_of(filter_rows, name, "the filter").apply(of, arguments);
}

}  // namespace text
}  // namespace systolic::inline v0
