// What operators, filters, tests and methods of templates do. Internal to text.
//
// All that makes texts or lists is bounded by `limits` and by TemplateWork: InvalidArgument beyond.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/text/templates/value.h"

namespace systolic::inline v0 {
namespace text {

namespace limits {
inline constexpr size_t template_text = size_t{1} << 24;   // bytes of a text
inline constexpr size_t template_items = size_t{1} << 20;  // of a list
}  // namespace limits

// Arguments of a call, without a name first.
struct CallArguments {
  std::vector<Value> places = {};
  std::vector<std::pair<std::string, Value>> names = {};

  // By place or name; null where it is not given.
  const Value* find(size_t place, std::string_view name) const;
};

Value binary_operation(const std::string& symbol, const Value& a, const Value& b);
// The filter `name` of a value; InvalidArgument for one that is not known.
Value filtered(const std::string& name, const Value& of, const CallArguments& arguments);
bool tested(const std::string& name, const Value& of, const CallArguments& arguments);
// of.name(arguments).
Value called(const std::string& name, const Value& of, const CallArguments& arguments);

// An element of a list, a character of a text, a member of a map; undefined where there is none.
Value item_of(const Value& of, const Value& key);
// The same for "a.b", which is item "b" of item "a", as filters take it.
Value item_by_path(const Value& of, const Value& path);
// of[begin:end:step], what is left out being None.
Value slice_of(const Value& of, const Value& begin, const Value& end, const Value& step);
// The elements of a list, keys of a map or characters of a text; none of what is undefined.
ValueList elements_of(const Value& of);

std::vector<std::string> characters_of_text(const std::string& text);
// Where `part` begins in a text, at `from` or after it. Takes time by the size of the text alone.
size_t find_part(const std::string& text, const std::string& part, size_t from = 0);
void check_text_size(size_t size);  // InvalidArgument where it is too long
Value checked_text(std::string text);
[[noreturn]] void fail_operation(std::string what, std::string wanted = {});

}  // namespace text
}  // namespace systolic::inline v0
