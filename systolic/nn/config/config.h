// A configuration as data: what get_config gives and from_config takes, with JSON as its text.
//
//   Config config = Config::parse(text);       // InvalidArgument: "not JSON: ... at byte 12"
//   config["units"].integer()
//   config.text()
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {

class Config {
 public:
  using List = std::vector<Config>;
  using Map = std::vector<std::pair<std::string, Config>>;  // keeps the order of insertion

  // All in config.cc: every program that has a layer would compile what a variant needs.
  Config();            // null
  Config(bool value);  // NOLINT: each is a value
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) Config(Integer value)  // NOLINT
      : Config(WholeNumber{static_cast<int64_t>(value)}) {}
  Config(double value);            // NOLINT
  Config(std::string value);       // NOLINT
  Config(std::string_view value);  // NOLINT
  Config(const char* value);       // NOLINT
  Config(List value);              // NOLINT
  Config(Map value);               // NOLINT
  Config(const Config& other);
  Config(Config&& other) noexcept;
  Config& operator=(const Config& other);
  Config& operator=(Config&& other) noexcept;
  ~Config();

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_boolean() const { return std::holds_alternative<bool>(value_); }
  bool is_integer() const { return std::holds_alternative<int64_t>(value_); }
  bool is_number() const { return is_integer() || std::holds_alternative<double>(value_); }
  bool is_text() const { return std::holds_alternative<std::string>(value_); }
  bool is_list() const { return std::holds_alternative<List>(value_); }
  bool is_map() const { return std::holds_alternative<Map>(value_); }

  // The value as a C++ type; another kind of value is an InvalidArgument that says which.
  bool boolean() const;
  int64_t integer() const;
  double number() const;  // integers too
  const std::string& text_value() const;
  const List& list() const;
  const Map& map() const;

  // An entry of a map; a missing one is a NotFound that lists the entries.
  const Config& operator[](std::string_view key) const;
  const Config* find(std::string_view key) const;
  void set(std::string key, Config value);

  // As JSON, on one line.
  std::string text() const;
  static Config parse(std::string_view json, SourceLocation location = SourceLocation::current());

  friend bool operator==(const Config& a, const Config& b);

 private:
  struct WholeNumber {
    int64_t value;
  };
  explicit Config(WholeNumber number);
  [[noreturn]] void raise_kind(std::string_view wanted) const;
  std::variant<std::monostate, bool, int64_t, double, std::string, List, Map> value_;
};

}  // namespace systolic::inline v0
