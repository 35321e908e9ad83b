// The list of a spec's fields, written once: configuration, reading it back, equality, printing
// and documentation all follow from it.
//
//   struct Dense {
//     static constexpr const char* kind = "Dense";
//     Required<int64_t> units;
//     static constexpr auto fields() { return std::tuple(field("units", &Dense::units)); }
//   };
//   config_of(Dense{.units = 10}).text()    // {"class_name": "Dense", "config": {"units": 10}}
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "systolic/core/dtype.h"
#include "systolic/core/shape.h"
#include "systolic/nn/choice.h"
#include "systolic/nn/config.h"
#include "systolic/nn/dtype_policy.h"
#include "systolic/nn/required.h"
#include "systolic/nn/size2.h"

namespace systolic::inline v0 {

template <class Spec, class T>
struct Field {
  const char* name;
  T Spec::*member;
};

template <class Spec, class T>
constexpr Field<Spec, T> field(const char* name, T Spec::*member) {
  return {name, member};
}

template <class Spec>
concept HasFields = requires {
  Spec::fields();
  { Spec::kind } -> std::convertible_to<const char*>;
};

// --- one value
// -------------------------------------------------------------------------------------------------

inline Config to_config(bool value) { return value; }
inline Config to_config(int64_t value) { return value; }
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
inline void from_config(const Config& config, int64_t& value) { value = config.integer(); }
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
template <class T>
void from_config(const Config& config, std::vector<T>& values) {
  values.clear();
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

// --- a whole spec
// ----------------------------------------------------------------------------------------------

// {"class_name": kind, "config": {field: value, ...}}
template <HasFields Spec>
Config config_of(const Spec& spec) {
  Config values{Config::Map{}};
  std::apply([&](auto... one) { (values.set(one.name, to_config(spec.*one.member)), ...); },
             Spec::fields());
  Config result;
  result.set("class_name", Spec::kind);
  result.set("config", std::move(values));
  return result;
}

namespace internal {

template <class T>
inline constexpr int is_required = 0;
template <class Spec, class T>
inline constexpr int is_required<Field<Spec, Required<T>>> = 1;

template <class... Fields>
constexpr int count_required(const std::tuple<Fields...>*) {
  return (0 + ... + is_required<Fields>);
}

template <class Spec, size_t... i>
Spec make_unset(std::index_sequence<i...>) {
  return Spec{((void)i, Unset{})...};
}

// An entry that no field has is an InvalidArgument: "Dense has no field 'unit'", with the closest.
void check_known_entries(const char* kind, const Config& values,
                         const std::vector<std::string>& fields);
[[noreturn]] void raise_missing_entry(const char* kind, const char* field);

}  // namespace internal

template <HasFields Spec>
std::vector<std::string> field_names() {
  return std::apply([](auto... one) { return std::vector<std::string>{one.name...}; },
                    Spec::fields());
}

// Fields that `values` leaves out keep their defaults; a Required one must be there.
template <HasFields Spec>
Spec spec_from(const Config& values) {
  using List = decltype(Spec::fields());
  constexpr int required = internal::count_required(static_cast<const List*>(nullptr));
  Spec spec = internal::make_unset<Spec>(std::make_index_sequence<required>());
  internal::check_known_entries(Spec::kind, values, field_names<Spec>());
  const auto read = [&](auto one) {
    const Config* value = values.find(one.name);
    if (value != nullptr) {
      from_config(*value, spec.*one.member);
    } else if (internal::is_required<decltype(one)>) {
      internal::raise_missing_entry(Spec::kind, one.name);
    }
  };
  std::apply([&](auto... one) { (read(one), ...); }, Spec::fields());
  return spec;
}

}  // namespace systolic::inline v0
