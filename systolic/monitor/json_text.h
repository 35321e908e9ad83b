// JSON, as pages and files of the monitor have it.
//
//   JsonObject().add("name", "mnist").add("loss", 0.25).text()    // {"name":"mnist","loss":0.25}
#pragma once

#include <cmath>
#include <concepts>
#include <string>
#include <string_view>

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace monitor {

std::string json(std::string_view text);
template <std::floating_point Number>
std::string json(Number number) {
  return std::isfinite(number) ? str(number) : "null";
}
template <std::integral Number>
std::string json(Number number) {
  return str(number);
}

class JsonObject {
 public:
  template <class Value>
  JsonObject& add(std::string_view name, const Value& value) {
    return add_text(name, json(value));
  }
  // A value that is JSON already.
  JsonObject& add_text(std::string_view name, std::string_view value);
  std::string text() const { return str("{", text_, "}"); }

 private:
  std::string text_;
};

}  // namespace monitor
}  // namespace systolic::inline v0
