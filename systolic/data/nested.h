// Structures within structures: an array named "features/image" is "image" of the part "features".
//
//   Example e = data::nested({{"features", {{"image", x}, {"size", n}}}, {"weights", w}});
//   data::part(e, "features")["image"]
//   data::zip({{"left", a}, {"right", b}})                   // {left/x, left/y, right/x, right/y}
//
// Functions take and give nested tuples by their C++ types, each leaf an array in order:
//
//   dataset.map(data::typed([](std::pair<int64_t, float> point, std::string_view name) {
//     return std::pair(std::tuple(point.second, point.first), name);       // {x/x, x/y, y}
//   }))
//
// An element of other types is an InvalidArgument that names both; a function of other kinds of
// arguments does not compile.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "systolic/data/dataset.h"
#include "systolic/data/element_function.h"

namespace systolic::inline v0 {
namespace data {

// The arrays of all parts, each named by its part, a '/' and its own name; the array of a part
// whose only name is empty keeps the part's.
Example nested(const std::vector<std::pair<std::string, Example>>& parts);
// The arrays of one part, without its name. NotFound for a part that is not there, with a list of
// those that are.
Example part(const Example& element, std::string_view name);
// The names of the parts and of the arrays outside of any, in order.
std::vector<std::string> part_names(const Example& element);
// Elements side by side, each dataset's as a part.
Dataset zip(const std::vector<std::pair<std::string, Dataset>>& datasets,
            SourceLocation location = SourceLocation::current());

// How nested tuples are laid out in arrays: one for each leaf.
template <class T>
struct Leaves {
  static constexpr bool known = ValueOf<T>::known;
  static constexpr size_t count = 1;
  static bool fits(const Example& element, size_t at) {
    return ValueOf<T>::fits(element.value(at));
  }
  static std::string name() { return ValueOf<T>::name(); }
  static decltype(auto) get(const Example& element, size_t at) {
    return ValueOf<T>::get(element.value(at));
  }
};
// Where the next one begins; returns where this one does.
template <class T>
size_t step_over(size_t& at) {
  return std::exchange(at, at + Leaves<T>::count);
}
template <class... T>
struct Leaves<std::tuple<T...>> {
  static constexpr bool known = sizeof...(T) > 0 && (Leaves<T>::known && ...);
  static constexpr size_t count = (Leaves<T>::count + ... + 0);
  static bool fits(const Example& element, size_t at) {
    return (Leaves<T>::fits(element, step_over<T>(at)) && ...);
  }
  static std::vector<std::string> names() { return {Leaves<T>::name()...}; }
  static std::string name() { return str("(", join(names()), ")"); }
  static std::tuple<T...> get(const Example& element, size_t at) {
    // Braces, so that the parts are taken in order.
    return {Leaves<T>::get(element, step_over<T>(at))...};
  }
};
template <class A, class B>
struct Leaves<std::pair<A, B>> : Leaves<std::tuple<A, B>> {
  static std::pair<A, B> get(const Example& element, size_t at) {
    return {Leaves<A>::get(element, at), Leaves<B>::get(element, at + Leaves<A>::count)};
  }
};

// "x", "y", "x2", "x3": the names of a tuple's items.
std::string item_name(size_t i);

template <class T>
void add_leaves(Example& to, const std::string& name, T&& value) {
  using Plain = std::remove_cvref_t<T>;
  if constexpr (requires { std::tuple_size<Plain>::value; }) {
    [&]<size_t... i>(std::index_sequence<i...>) {
      (add_leaves(to, name.empty() ? item_name(i) : str(name, "/", item_name(i)),
                  std::get<i>(std::forward<T>(value))),
       ...);
    }
    (std::make_index_sequence<std::tuple_size_v<Plain>>());
  } else {
    to.set(name.empty() ? "x" : name, literal_result(std::forward<T>(value)));
  }
}

// A function for map that takes nested tuples.
template <class Function>
auto typed(Function function) {
  using Arguments = ArgumentsOf<Function>;
  static_assert(Leaves<Arguments>::known,
                "typed: the function must take numbers, std::string_view, std::span<const T>, "
                "Literal, or pairs and tuples of these");
  return [function = std::move(function)](const Example& element) mutable -> Example {
    using Taken = Leaves<Arguments>;
    if (element.size() != Taken::count || !Taken::fits(element, 0))
      raise_other_types(element, Taken::names());
    Example result;
    add_leaves(result, "", std::apply(function, Taken::get(element, 0)));
    return result;
  };
}

}  // namespace data
}  // namespace systolic::inline v0
