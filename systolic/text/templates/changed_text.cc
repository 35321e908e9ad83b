#include "systolic/text/templates/changed_text.h"

#include "systolic/base/error.h"
#include "systolic/text/templates/work.h"
#include "systolic/text/unicode/properties.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {
namespace {

// Letters a to z alone have upper-case forms here.
std::string upper_letter(const std::string& one) {
  const char32_t c = character_at(one, 0);
  if (c >= U'a' && c <= U'z') return {static_cast<char>(c - U'a' + U'A')};
  if (c >= 0x80 && has(c, lower_case))
    raise<Unimplemented>({.what = str("the upper-case form of '", one, "'"),
                          .wanted = "letters a to z, or such as have none"});
  return one;
}

}  // namespace

const std::string& text_of(const Value& value, const char* what) {
  if (!value.is_text()) fail_operation(str(what, " of ", value.kind()), "a text");
  return value.text();
}

const Value& required(const Value* value, const char* what) {
  if (value == nullptr) fail_operation(str(what, " without its argument"));
  return *value;
}

std::string stripped(const std::string& text, bool left, bool right, const Value* characters) {
  const std::vector<std::string> all = characters_of_text(text);
  const auto goes = [&](const std::string& one) {
    if (characters != nullptr && characters->is_text())
      return find_part(characters->text(), one) != std::string::npos;
    const char32_t c = character_at(one, 0);
    return has(c, whitespace) || (c >= 0x1C && c <= 0x1F);
  };
  size_t begin = 0, end = all.size();
  while (left && begin < end && goes(all[begin])) ++begin;
  while (right && end > begin && goes(all[end - 1])) --end;
  std::string result;
  for (size_t i = begin; i < end; ++i) result += all[i];
  return result;
}

std::string lower(const std::string& text) {
  std::string result;
  for (const std::string& one : characters_of_text(text))
    lower_case_of(character_at(one, 0), [&](char32_t c) { append_utf8(result, c); });
  return result;
}

std::string upper(const std::string& text) {
  std::string result;
  for (const std::string& one : characters_of_text(text)) result += upper_letter(one);
  return result;
}

std::string capitalized(const std::string& text) {
  const std::vector<std::string> all = characters_of_text(text);
  if (all.empty()) return text;
  return upper_letter(all[0]) + lower(text.substr(all[0].size()));
}

std::string titled(const std::string& text) {
  std::string result;
  bool begins = true;
  for (const std::string& one : characters_of_text(lower(text))) {
    result += begins ? upper_letter(one) : one;
    begins = !has(character_at(one, 0), letter);
  }
  return result;
}

std::string titled_words(const std::string& text) {
  std::string result;
  bool begins = true;
  for (const std::string& one : characters_of_text(lower(text))) {
    const bool divides = has(character_at(one, 0), whitespace) ||
                         std::string_view("-({[<").find(one) != std::string_view::npos;
    result += begins && !divides ? upper_letter(one) : one;
    begins = divides;
  }
  return result;
}

Value replaced(const std::string& text, const Value& from, const Value& to, int64_t most) {
  const std::string &old = text_of(from, "replace"), &next = text_of(to, "replace");
  if (old.empty()) fail_operation("replace of an empty text");
  std::string result;
  size_t at = 0;
  for (size_t found = find_part(text, old); found != std::string::npos && most != 0;
       found = find_part(text, old, at), --most) {
    result += text.substr(at, found - at) + next;
    check_text_size(result.size());
    at = found + old.size();
  }
  return checked_text(result + text.substr(at));
}

Value split_text(const std::string& text, const Value* separator, int64_t most) {
  ValueList parts;
  if (separator != nullptr && separator->is_text()) {
    const std::string& by = separator->text();
    if (by.empty()) fail_operation("split by an empty text");
    size_t at = 0;
    for (size_t found = find_part(text, by); found != std::string::npos && most != 0;
         found = find_part(text, by, at), --most) {
      parts.emplace_back(text.substr(at, found - at));
      at = found + by.size();
    }
    parts.emplace_back(text.substr(at));
    return parts;
  }
  std::string part;
  for (const std::string& one : characters_of_text(text)) {
    const char32_t c = character_at(one, 0);
    if (!has(c, whitespace) && !(c >= 0x1C && c <= 0x1F)) {
      part += one;
    } else if (!part.empty()) {
      parts.emplace_back(std::move(part));
      part.clear();
    }
  }
  if (!part.empty()) parts.emplace_back(part);
  return parts;
}

Value lines_of_text(const std::string& text) {
  const std::string newline = "\n";
  ValueList lines;
  size_t at = 0;
  for (size_t end = find_part(text, newline); end != std::string::npos;
       end = find_part(text, newline, at)) {
    lines.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (at < text.size()) lines.emplace_back(text.substr(at));
  return lines;
}

Value joined(const Value& list, const std::string& separator, const Value* attribute) {
  std::string result;
  bool first = true;
  for (const Value& one : elements_of(list)) {
    if (!first) result += separator;
    first = false;
    result += (attribute != nullptr ? item_by_path(one, *attribute) : one).shown();
    check_text_size(result.size());
  }
  return checked_text(result);
}

Value items_of(const Value& map) {
  if (!map.is_map()) fail_operation(str("items of ", map.kind()), "a map");
  ValueList items;
  for (const auto& [key, value] : map.map()) items.push_back(Value::tuple({key, value}));
  return items;
}

}  // namespace text
}  // namespace systolic::inline v0
