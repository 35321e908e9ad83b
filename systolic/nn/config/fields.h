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

#include <concepts>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/nn/config/config.h"
#include "systolic/nn/config/field_values.h"
#include "systolic/nn/config/required.h"

namespace systolic::inline v0 {

// One field of a spec: its name in configurations, Keras's, and the member that holds it. field()
// makes one.
template <class Spec, class T>
struct Field {
  using Owner = Spec;
  const char* name;
  T Spec::*member;
};

template <class Spec, class T>
constexpr Field<Spec, T> field(const char* name, T Spec::*member) {
  return {name, member};
}

// A spec that lists its fields, and says by `kind` what it is called in configurations.
template <class Spec>
concept HasFields = requires {
  Spec::fields();
  { Spec::kind } -> std::convertible_to<const char*>;
};

// The list is of this struct, and not of one that it derives from and whose work it does otherwise.
template <class Spec>
concept HasOwnFields = HasFields<Spec> && requires {
  requires std::same_as<typename std::tuple_element_t<0, decltype(Spec::fields())>::Owner, Spec>;
};

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
// What errors of a field's value start with: "Dense, units".
std::string field_place(const char* kind, const char* field);
[[noreturn]] void raise_missing_entry(const char* kind, const char* field);
// Unimplemented: "the loss 'mine' is written in C++: it has no configuration".
[[noreturn]] void raise_without_fields(const char* what, const std::string& name);

}  // namespace internal

// The names of a spec's fields, in the order of its list.
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
      const std::string place = internal::field_place(Spec::kind, one.name);
      const ErrorScope scope(place, ErrorScope::current_location());
      from_config(*value, spec.*one.member);
    } else if (internal::is_required<decltype(one)>) {
      internal::raise_missing_entry(Spec::kind, one.name);
    }
  };
  std::apply([&](auto... one) { (read(one), ...); }, Spec::fields());
  return spec;
}

}  // namespace systolic::inline v0
