#include "systolic/nn/config.h"

#include <nlohmann/json.hpp>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

using Json = nlohmann::ordered_json;

// Deeper nesting than any model has: a hostile text must not exhaust the stack.
constexpr int deepest = 200;

Config from_json(const Json& json) {
  switch (json.type()) {
    case Json::value_t::boolean:
      return json.get<bool>();
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
      return json.get<int64_t>();
    case Json::value_t::number_float:
      return json.get<double>();
    case Json::value_t::string:
      return json.get<std::string>();
    case Json::value_t::array: {
      Config::List list;
      for (const Json& item : json) list.push_back(from_json(item));
      return list;
    }
    case Json::value_t::object: {
      Config::Map map;
      for (const auto& [key, value] : json.items()) map.emplace_back(key, from_json(value));
      return map;
    }
    default:
      return {};
  }
}

void check_depth(std::string_view json, SourceLocation location) {
  int depth = 0;
  bool in_text = false;
  for (size_t i = 0; i < json.size(); ++i) {
    if (in_text && json[i] == '\\')
      ++i;
    else if (json[i] == '"')
      in_text = !in_text;
    else if (!in_text && (json[i] == '[' || json[i] == '{'))
      ++depth;
    else if (!in_text && (json[i] == ']' || json[i] == '}'))
      --depth;
    if (depth > deepest) {
      raise<InvalidArgument>({.what = str("configuration nested deeper than ", deepest, " levels"),
                              .location = location});
    }
  }
}

}  // namespace

void Config::raise_kind(std::string_view wanted) const {
  raise<InvalidArgument>(
      {.what = str("configuration holds ", text()), .wanted = std::string(wanted)});
}

bool Config::boolean() const {
  if (const bool* value = std::get_if<bool>(&value_)) return *value;
  raise_kind("true or false");
}

int64_t Config::integer() const {
  if (const int64_t* value = std::get_if<int64_t>(&value_)) return *value;
  raise_kind("an integer");
}

double Config::number() const {
  if (const double* value = std::get_if<double>(&value_)) return *value;
  if (const int64_t* value = std::get_if<int64_t>(&value_)) return static_cast<double>(*value);
  raise_kind("a number");
}

const std::string& Config::text_value() const {
  if (const std::string* value = std::get_if<std::string>(&value_)) return *value;
  raise_kind("text");
}

const Config::List& Config::list() const {
  if (const List* value = std::get_if<List>(&value_)) return *value;
  raise_kind("a list");
}

const Config::Map& Config::map() const {
  if (const Map* value = std::get_if<Map>(&value_)) return *value;
  raise_kind("a map");
}

const Config* Config::find(std::string_view key) const {
  for (const auto& [name, value] : map()) {
    if (name == key) return &value;
  }
  return nullptr;
}

const Config& Config::operator[](std::string_view key) const {
  if (const Config* found = find(key)) return *found;
  std::vector<std::string> known;
  for (const auto& entry : map()) known.push_back(entry.first);
  raise<NotFound>({.what = str("configuration has no entry '", key, "'"),
                   .got = str("the entries: ", join(known, " "))});
}

void Config::set(std::string key, Config value) {
  if (is_null()) value_ = Map{};
  std::get<Map>(value_).emplace_back(std::move(key), std::move(value));
}

std::string Config::text() const {
  if (const bool* value = std::get_if<bool>(&value_)) return *value ? "true" : "false";
  if (const int64_t* value = std::get_if<int64_t>(&value_)) return str(*value);
  if (const double* value = std::get_if<double>(&value_)) return Json(*value).dump();
  if (is_list()) {
    std::vector<std::string> items;
    for (const Config& item : list()) items.push_back(item.text());
    return str("[", join(items, ", "), "]");
  }
  if (is_map()) {
    std::vector<std::string> items;
    for (const auto& [key, value] : map())
      items.push_back(str(Config(key).text(), ": ", value.text()));
    return str("{", join(items, ", "), "}");
  }
  if (is_null()) return "null";
  return Json(text_value()).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Config Config::parse(std::string_view json, SourceLocation location) {
  check_depth(json, location);
  try {
    return from_json(Json::parse(json));
  } catch (const Json::exception& error) {
    raise<InvalidArgument>({.what = str("not JSON: ", error.what()), .location = location});
  }
}

}  // namespace systolic::inline v0
