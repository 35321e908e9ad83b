// Methods of texts and maps in templates.
#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/text/templates/changed_text.h"
#include "systolic/text/templates/rows.h"

namespace systolic::inline v0 {
namespace text {
namespace {

bool begins_or_ends(const std::string& text, const Value& with, bool begins) {
  if (with.is_list())
    return std::ranges::any_of(with.list(),
                               [&](const Value& one) { return begins_or_ends(text, one, begins); });
  const std::string& part = text_of(with, "startswith");
  return begins ? text.starts_with(part) : text.ends_with(part);
}

int64_t count_of(Given given, size_t place, const char* name) {
  const Value* most = given.find(place, name);
  return most != nullptr && most->is_whole() ? most->integer() : -1;
}

struct MethodRow {
  const char* name;
  Value (*apply)(const std::string& text, Given given);
};

constexpr MethodRow text_methods[] = {
    {"capitalize", [](const std::string& x, Given) { return Value(capitalized(x)); }},
    {"endswith",
     [](const std::string& x, Given g) {
       return Value(begins_or_ends(x, required(g.find(0, ""), "endswith"), false));
     }},
    {"find",
     [](const std::string& x, Given g) {
       const size_t at = find_part(x, text_of(required(g.find(0, ""), "find"), "find"));
       if (at == std::string::npos) return Value(int64_t{-1});
       return Value(static_cast<int64_t>(characters_of_text(x.substr(0, at)).size()));
     }},
    {"join", [](const std::string& x,
                Given g) { return joined(required(g.find(0, ""), "join"), x, nullptr); }},
    {"lower", [](const std::string& x, Given) { return Value(lower(x)); }},
    {"lstrip",
     [](const std::string& x, Given g) { return Value(stripped(x, true, false, g.find(0, ""))); }},
    {"replace",
     [](const std::string& x, Given g) {
       return replaced(x, required(g.find(0, ""), "replace"), required(g.find(1, ""), "replace"),
                       count_of(g, 2, "count"));
     }},
    {"rstrip",
     [](const std::string& x, Given g) { return Value(stripped(x, false, true, g.find(0, ""))); }},
    {"split", [](const std::string& x,
                 Given g) { return split_text(x, g.find(0, "sep"), count_of(g, 1, "maxsplit")); }},
    {"splitlines", [](const std::string& x, Given) { return lines_of_text(x); }},
    {"startswith",
     [](const std::string& x, Given g) {
       return Value(begins_or_ends(x, required(g.find(0, ""), "startswith"), true));
     }},
    {"strip",
     [](const std::string& x, Given g) { return Value(stripped(x, true, true, g.find(0, ""))); }},
    {"title", [](const std::string& x, Given) { return Value(titled(x)); }},
    {"upper", [](const std::string& x, Given) { return Value(upper(x)); }},
};

}  // namespace

Value called(const std::string& name, const Value& of, const CallArguments& given) {
  if (of.is_text()) return row_of(text_methods, name, "the method").apply(of.text(), given);
  if (of.is_map()) {
    if (name == "items") return items_of(of);
    if (name == "keys") return elements_of(of);
    if (name == "values") {
      ValueList values;
      for (const auto& member : of.map()) values.push_back(member.second);
      return values;
    }
    if (name == "get") {
      const Value found = item_of(of, required(given.find(0, ""), "get"));
      const Value* otherwise = given.find(1, "");
      if (!found.is_undefined()) return found;
      return otherwise != nullptr ? *otherwise : Value(Value::None{});
    }
  }
  raise<Unimplemented>({.what = str("the method '", name.substr(0, 40), "' of ", of.kind()),
                        .wanted = "items, keys, values and get of a map, and methods of texts"});
}

}  // namespace text
}  // namespace systolic::inline v0
