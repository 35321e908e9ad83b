#include "systolic/text/templates/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "systolic/base/error.h"
#include "systolic/text/pieces/json_view.h"
#include "systolic/text/templates/operations.h"
#include "systolic/text/templates/work.h"

namespace systolic::inline v0 {
namespace text {
namespace {

constexpr int most_levels = 64;

int checked_depth(int depth) {
  if (depth > most_levels)
    raise<InvalidArgument>({.what = "a value that is nested too deep",
                            .wanted = str("at most ", most_levels, " levels")});
  return depth;
}

// The shortest text that is this number, as Python's repr() of a float.
std::string float_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[32];
  const double size = std::abs(value);
  const bool plain = size == 0 || (size >= 1e-4 && size < 1e16);
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value,
                                 plain ? std::chars_format::fixed : std::chars_format::scientific);
  std::string result(buffer, end.ptr);
  if (plain && result.find('.') == std::string::npos) result += ".0";
  return result;
}

// Python's repr(): single quotes, unless only single ones are in it.
std::string quoted(const std::string& text) {
  const bool twice = text.find('\'') != std::string::npos && text.find('"') == std::string::npos;
  const char quote = twice ? '"' : '\'';
  std::string result(1, quote);
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (c == '\r') {
      result += "\\r";
    } else {
      if (c == quote || c == '\\') result += '\\';
      result += c;
    }
  }
  return result + quote;
}

// Appends values to a text that stays within the limit.
class Writer {
 public:
  void write(const Value& value) {
    if (value.is_text()) return append(quoted(value.text()));
    if (value.is_list()) {
      append(value.is_tuple() ? "(" : "[");
      for (size_t i = 0; i < value.list().size(); ++i) {
        if (i > 0) append(", ");
        write(value.list()[i]);
      }
      return append(!value.is_tuple() ? "]" : value.list().size() == 1 ? ",)" : ")");
    }
    if (!value.is_map()) return append(value.is_undefined() ? "Undefined" : value.shown());
    append("{");
    for (size_t i = 0; i < value.map().size(); ++i) {
      append((i > 0 ? ", " : "") + quoted(value.map()[i].first) + ": ");
      write(value.map()[i].second);
    }
    append("}");
  }

  void write_json(const Value& value, int64_t indent, int level = 0) {
    const bool is_list = value.is_list();
    if (!is_list && !value.is_map()) return append(json_of(value));
    const size_t size = is_list ? value.list().size() : value.map().size();
    append(is_list ? "[" : "{");
    for (size_t i = 0; i < size; ++i) {
      if (i > 0) append(indent < 0 ? ", " : ",");
      append_gap(indent, level + 1);
      if (!is_list) append(json_quoted(value.map()[i].first) + ": ");
      write_json(is_list ? value.list()[i] : value.map()[i].second, indent, level + 1);
    }
    if (size > 0) append_gap(indent, level);
    append(is_list ? "]" : "}");
  }

  std::string text;

 private:
  static std::string json_of(const Value& value) {
    if (value.is_text()) return json_quoted(value.text());
    if (value.is_none()) return "null";
    if (value.is_boolean()) return value.truth() ? "true" : "false";
    if (value.is_number()) return value.shown();
    raise<InvalidArgument>({.what = str("tojson of ", value.kind()),
                            .wanted = "texts, numbers, lists and maps of them"});
  }
  void append_gap(int64_t indent, int level) {
    if (indent >= 0) append("\n" + std::string(static_cast<size_t>(indent * level), ' '));
  }
  void append(const std::string& part) {
    TemplateWork::spend_bytes(part.size());
    text += part;
    check_text_size(text.size());
  }
};

bool is_equal(const Value& a, const Value& b) {
  TemplateWork::spend(1);
  if (a.is_number() && b.is_number()) return a.number() == b.number();
  if (a.is_text() && b.is_text()) {
    TemplateWork::spend_bytes(std::min(a.text().size(), b.text().size()));
    return a.text() == b.text();
  }
  if (a.is_none() || b.is_none()) return a.is_none() && b.is_none();
  if (a.is_undefined() || b.is_undefined()) return a.is_undefined() && b.is_undefined();
  if (a.is_list() && b.is_list()) {
    return a.is_tuple() == b.is_tuple() &&
           std::equal(a.list().begin(), a.list().end(), b.list().begin(), b.list().end(), is_equal);
  }
  if (!a.is_map() || !b.is_map() || a.map().size() != b.map().size()) return false;
  for (const auto& [key, one] : a.map()) {
    const Value* other = b.find(key);
    if (other == nullptr || !is_equal(one, *other)) return false;
  }
  return true;
}

Value from_json(const nlohmann::ordered_json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_float() || json.is_number_unsigned()) {
    const auto number = json.get<double>();
    const bool fits = json.is_number_unsigned() && number < 9e18;
    return fits ? Value(json.get<int64_t>()) : Value(number);
  }
  if (json.is_number()) return json.get<int64_t>();
  if (json.is_array()) {
    ValueList list;
    for (const auto& one : json) list.push_back(from_json(one));
    return list;
  }
  if (!json.is_object()) return Value::None{};
  ValueMap map;
  for (const auto& [name, member] : json.items()) map.emplace_back(name, from_json(member));
  return map;
}

}  // namespace

Value::Value(std::string value) {
  TemplateWork::spend_bytes(value.size());
  data_ = std::make_shared<const std::string>(std::move(value));
}

Value::Value(ValueList value, bool is_tuple) {
  TemplateWork::spend(1 + value.size());
  int depth = 0;
  bool holds = false;
  for (const Value& one : value) {
    depth = std::max(depth, one.depth());
    holds = holds || one.holds_name_space();
  }
  data_ = std::make_shared<const ListData>(
      ListData{std::move(value), checked_depth(depth + 1), is_tuple, holds});
}

Value::Value(ValueMap value, bool is_name_space) {
  TemplateWork::spend(1 + value.size());
  int depth = 0;
  bool holds = is_name_space;
  for (const auto& [key, one] : value) {
    depth = std::max(depth, one.depth());
    holds = holds || one.holds_name_space();
  }
  data_ = std::make_shared<MapData>(
      MapData{std::move(value), checked_depth(depth + 1), is_name_space, holds});
}

int Value::depth() const {
  if (is_list()) return std::get<List>(data_)->depth;
  return is_map() ? std::get<Map>(data_)->depth : 0;
}

bool Value::holds_name_space() const {
  if (is_list()) return std::get<List>(data_)->holds_name_space;
  return is_map() && std::get<Map>(data_)->holds_name_space;
}

const Value* Value::find(const std::string& key) const {
  TemplateWork::spend(1 + map().size() / 16);
  for (const auto& [name, value] : map())
    if (name == key) return &value;
  return nullptr;
}

void Value::set(const std::string& key, Value value) const {
  if (value.holds_name_space())
    raise<InvalidArgument>({.what = str("a namespace() in '", key, "' of a namespace()"),
                            .wanted = "texts, numbers, lists and maps"});
  MapData& data = *std::get<Map>(data_);
  data.depth = std::max(data.depth, checked_depth(value.depth() + 1));
  TemplateWork::spend(1 + data.members.size() / 16);
  put_into(data.members, key, std::move(value));
}

void put_into(ValueMap& map, const std::string& key, Value value) {
  for (auto& [name, old] : map) {
    if (name != key) continue;
    old = std::move(value);
    return;
  }
  map.emplace_back(key, std::move(value));
}

bool Value::truth() const {
  if (is_text()) return !text().empty();
  if (is_list()) return !list().empty();
  if (is_map()) return !map().empty();
  return is_number() && number() != 0;
}

std::string Value::kind() const {
  constexpr const char* names[] = {"what is undefined", "None",   "a boolean", "an integer",
                                   "a number",          "a text", "a list",    "a map"};
  const std::string name = is_undefined() ? undefined_name() : "";
  return name.empty() ? names[data_.index()] : str("'", name, "', which is undefined");
}

std::string Value::shown() const {
  if (is_undefined()) return "";
  if (is_none()) return "None";
  if (is_boolean()) return truth() ? "True" : "False";
  if (is_integer()) return std::to_string(integer());
  if (is_text()) return text();
  if (is_number()) return float_text(number());
  return written();
}

std::string Value::written() const {
  Writer writer;
  writer.write(*this);
  return std::move(writer.text);
}

std::string Value::json(int64_t indent) const {
  Writer writer;
  writer.write_json(*this, indent);
  return std::move(writer.text);
}

bool operator==(const Value& a, const Value& b) { return is_equal(a, b); }

Value value_from_json(const std::string& json, const std::string& what) {
  JsonFile::parse(json, what);  // checks it, and how deep it nests; it does not keep the order
  return from_json(nlohmann::ordered_json::parse(json));
}

}  // namespace text
}  // namespace systolic::inline v0
