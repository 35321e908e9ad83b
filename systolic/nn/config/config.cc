#include "systolic/nn/config/config.h"

#include <nlohmann/json.hpp>
#include <unordered_map>

#include "systolic/base/error.h"
#include "systolic/base/excerpt.h"

namespace systolic::inline v0 {
namespace {

using Json = nlohmann::json;

// Deeper nesting than any model has: a hostile text must not exhaust the stack.
constexpr size_t deepest = 200;

// Makes a Config of the events of nlohmann's parser. The last of two entries with one name holds.
// Entries are found by hash: a text of a million names takes time in proportion.
class Builder {
 public:
  explicit Builder(SourceLocation location) : location_(location) {}
  Config result;

  bool null() { return add({}); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(int64_t value) { return add(value); }
  bool number_unsigned(uint64_t value) {
    return value <= uint64_t{INT64_MAX} ? add(static_cast<int64_t>(value))
                                        : add(static_cast<double>(value));
  }
  bool number_float(double value, const std::string&) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(Json::binary_t&) { return false; }  // JSON has none
  bool start_object(size_t) { return open(true); }
  bool start_array(size_t) { return open(false); }
  bool key(std::string& name) {
    open_.back().key = std::move(name);
    return true;
  }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool parse_error(size_t, const std::string&, const Json::exception& error) {
    raise<InvalidArgument>(
        {.what = str("not JSON: ", excerpt(error.what(), 200)), .location = location_});
  }

 private:
  struct Open {
    bool is_map = false;
    Config::List list = {};
    Config::Map map = {};
    std::unordered_map<std::string, size_t> places = {};  // of the map's entries
    std::string key = {};
  };

  bool open(bool is_map) {
    if (open_.size() == deepest) {
      raise<InvalidArgument>({.what = str("configuration nested deeper than ", deepest, " levels"),
                              .location = location_});
    }
    open_.push_back({.is_map = is_map});
    return true;
  }
  bool close() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    return closed.is_map ? add(std::move(closed.map)) : add(std::move(closed.list));
  }
  bool add(Config value) {
    if (open_.empty()) {
      result = std::move(value);
      return true;
    }
    Open& inner = open_.back();
    if (!inner.is_map) {
      inner.list.push_back(std::move(value));
      return true;
    }
    const auto place = inner.places.emplace(inner.key, inner.map.size());
    if (place.second) {
      inner.map.emplace_back(inner.key, std::move(value));
    } else {
      inner.map[place.first->second].second = std::move(value);
    }
    return true;
  }

  SourceLocation location_;
  std::vector<Open> open_;
};

}  // namespace

Config::Config() = default;
Config::Config(bool value) : value_(value) {}
Config::Config(WholeNumber number) : value_(number.value) {}
Config::Config(double value) : value_(value) {}
Config::Config(std::string value) : value_(std::move(value)) {}
Config::Config(std::string_view value) : value_(std::string(value)) {}
Config::Config(const char* value) : value_(std::string(value)) {}
Config::Config(List value) : value_(std::move(value)) {}
Config::Config(Map value) : value_(std::move(value)) {}
Config::Config(const Config& other) = default;
Config::Config(Config&& other) noexcept = default;
Config& Config::operator=(const Config& other) = default;
Config& Config::operator=(Config&& other) noexcept = default;
Config::~Config() = default;

bool operator==(const Config& a, const Config& b) { return a.value_ == b.value_; }

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
  Builder builder(location);
  Json::sax_parse(json, &builder);
  return std::move(builder.result);
}

}  // namespace systolic::inline v0
