// The types that a field of a spec may have, as configuration and back: to_config(value) and
// from_config(config, value). What does not read as the type is an InvalidArgument.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/core/dtype.h"
#include "systolic/core/shape.h"
#include "systolic/nn/config/choice.h"
#include "systolic/nn/config/config.h"
#include "systolic/nn/config/dtype_policy.h"
#include "systolic/nn/config/required.h"
#include "systolic/nn/config/size2.h"

namespace systolic::inline v0 {

inline Config to_config(bool value) { return value; }
inline Config to_config(int64_t value) { return value; }
inline Config to_config(int value) { return value; }
inline Config to_config(double value) { return value; }
inline Config to_config(const std::string& value) { return value; }
Config to_config(DType value);
Config to_config(DTypePolicy value);
Config to_config(const Shape& value);
Config to_config(Size2 value);
template <class Names>
Config to_config(Choice<Names> value) {
  return value.name();
}
// Declared first: a list may hold any of them, and lookup would not find those of std types later.
template <class T>
Config to_config(const std::optional<T>& value);
template <class T>
Config to_config(const std::vector<T>& values);
template <class A, class B>
Config to_config(const std::pair<A, B>& value);

template <class T>
Config to_config(const std::optional<T>& value) {
  return value ? to_config(*value) : Config();
}
template <class T>
Config to_config(const std::vector<T>& values) {
  Config::List list;
  for (const T& value : values) list.push_back(to_config(value));
  return list;
}
template <class A, class B>
Config to_config(const std::pair<A, B>& value) {
  return Config::List{to_config(value.first), to_config(value.second)};
}
template <class T>
Config to_config(const Required<T>& value) {
  return to_config(value.get());
}

inline void from_config(const Config& config, bool& value) { value = config.boolean(); }
// A list of one integer is that integer: Keras writes sizes along one axis so.
void from_config(const Config& config, int64_t& value);
void from_config(const Config& config, int& value);
inline void from_config(const Config& config, double& value) { value = config.number(); }
inline void from_config(const Config& config, std::string& value) { value = config.text_value(); }
void from_config(const Config& config, DType& value);
void from_config(const Config& config, DTypePolicy& value);
void from_config(const Config& config, Shape& value);
void from_config(const Config& config, Size2& value);
template <class Names>
void from_config(const Config& config, Choice<Names>& value) {
  value = Choice<Names>::parse(config.text_value());
}
template <class T>
void from_config(const Config& config, std::optional<T>& value);
template <class T>
void from_config(const Config& config, std::vector<T>& values);
template <class A, class B>
void from_config(const Config& config, std::pair<A, B>& value);

template <class T>
void from_config(const Config& config, std::optional<T>& value) {
  value.reset();
  if (config.is_null()) return;
  from_config(config, value.emplace());
}
// What is no list is a list of one: Keras writes one axis so.
template <class T>
void from_config(const Config& config, std::vector<T>& values) {
  values.clear();
  if (!config.is_list() && !config.is_null()) return from_config(config, values.emplace_back());
  for (const Config& item : config.list()) from_config(item, values.emplace_back());
}
// A list of exactly two, else InvalidArgument.
const Config::List& pair_of(const Config& config);
template <class A, class B>
void from_config(const Config& config, std::pair<A, B>& value) {
  const Config::List& parts = pair_of(config);
  from_config(parts[0], value.first);
  from_config(parts[1], value.second);
}
template <class T>
void from_config(const Config& config, Required<T>& value) {
  T read{};
  from_config(config, read);
  value = std::move(read);
}

}  // namespace systolic::inline v0
