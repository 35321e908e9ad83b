// What the expressions of a template work on: Python's values, as far as templates of chats need
// them. Internal to text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace systolic::inline v0 {
namespace text {

class Value;
using ValueList = std::vector<Value>;
// In the order in which they were put in.
using ValueMap = std::vector<std::pair<std::string, Value>>;

// Copies share texts, lists and maps. Lists and maps nest at most 64 deep and never hold
// themselves: InvalidArgument where one would.
class Value {
 public:
  struct Undefined {
    std::string name;  // for errors
  };
  struct None {};

  Value() : data_(Undefined{}) {}
  Value(Undefined undefined) : data_(std::move(undefined)) {}  // NOLINT
  Value(None) : data_(None{}) {}                               // NOLINT
  Value(bool value) : data_(value) {}                          // NOLINT
  Value(int64_t value) : data_(value) {}                       // NOLINT
  Value(double value) : data_(value) {}                        // NOLINT
  Value(std::string value);                                    // NOLINT
  Value(const char* value) : Value(std::string(value)) {}      // NOLINT
  Value(ValueList value) : Value(std::move(value), false) {}   // NOLINT
  Value(ValueMap value) : Value(std::move(value), false) {}    // NOLINT
  static Value tuple(ValueList value) { return Value(std::move(value), true); }
  // The only map that set() changes.
  static Value name_space(ValueMap value) { return Value(std::move(value), true); }

  bool is_undefined() const { return std::holds_alternative<Undefined>(data_); }
  bool is_none() const { return std::holds_alternative<None>(data_); }
  bool is_boolean() const { return std::holds_alternative<bool>(data_); }
  bool is_integer() const { return std::holds_alternative<int64_t>(data_); }
  bool is_whole() const { return is_boolean() || is_integer(); }
  bool is_number() const { return is_whole() || std::holds_alternative<double>(data_); }
  bool is_text() const { return std::holds_alternative<Text>(data_); }
  bool is_list() const { return std::holds_alternative<List>(data_); }  // or a tuple
  bool is_tuple() const { return is_list() && std::get<List>(data_)->is_tuple; }
  bool is_map() const { return std::holds_alternative<Map>(data_); }
  bool is_name_space() const { return is_map() && std::get<Map>(data_)->is_name_space; }

  const std::string& undefined_name() const { return std::get<Undefined>(data_).name; }
  int64_t integer() const {
    return is_boolean() ? std::get<bool>(data_) : std::get<int64_t>(data_);
  }
  double number() const {
    return is_whole() ? static_cast<double>(integer()) : std::get<double>(data_);
  }
  const std::string& text() const { return *std::get<Text>(data_); }
  const ValueList& list() const { return std::get<List>(data_)->elements; }
  const ValueMap& map() const { return std::get<Map>(data_)->members; }
  const Value* find(const std::string& key) const;  // in a map; null where it is not
  // Changes a name space, which all copies share. A value that holds one is refused.
  void set(const std::string& key, Value value) const;

  bool truth() const;           // Python's bool()
  std::string kind() const;     // "a list", for errors
  std::string shown() const;    // Python's str(); "" where it is undefined
  std::string written() const;  // Python's repr()
  // json.dumps() without escapes of letters; `indent` below 0: on one line.
  std::string json(int64_t indent = -1) const;

  friend bool operator==(const Value& a, const Value& b);

 private:
  struct ListData {
    ValueList elements;
    int depth;
    bool is_tuple, holds_name_space;
  };
  struct MapData {
    ValueMap members;
    int depth;
    bool is_name_space, holds_name_space;
  };
  using Text = std::shared_ptr<const std::string>;
  using List = std::shared_ptr<const ListData>;
  using Map = std::shared_ptr<MapData>;

  Value(ValueList value, bool is_tuple);
  Value(ValueMap value, bool is_name_space);
  int depth() const;  // 0 for a number or text, 1 for a list of those
  bool holds_name_space() const;

  std::variant<Undefined, None, bool, int64_t, double, Text, List, Map> data_;
};

// The value with that key put into a map, in the place of the one it had.
void put_into(ValueMap& map, const std::string& key, Value value);
// From JSON; DataLoss, naming `what`, where it is none, or nested more than 64 deep.
Value value_from_json(const std::string& json, const std::string& what);

}  // namespace text
}  // namespace systolic::inline v0
