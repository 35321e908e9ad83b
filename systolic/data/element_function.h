// Makes one kind of function of all those that map and filter accept.
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "systolic/core/example.h"

namespace systolic::inline v0 {
namespace data {

using ElementFunction = std::function<Example(const Example&)>;
using ElementPredicate = std::function<bool(const Example&)>;

// The element must have so many arrays; else InvalidArgument.
void check_array_count(const Example& element, size_t count);

// Results get the names of the element's arrays where there are as many; else "x", and "y" for the
// second.
inline Example named_result(const Example&, Example result) { return result; }
Example named_result(const Example& element, Literal result);
Example named_result(const Example& element, std::pair<Literal, Literal> result);

template <class Result>
concept ElementResult =
    std::is_convertible_v<Result, Example> || std::is_convertible_v<Result, Literal> ||
    std::is_convertible_v<Result, std::pair<Literal, Literal>>;

template <class Function>
inline constexpr bool takes_element = std::is_invocable_v<Function&, const Example&>;
template <class Function>
inline constexpr bool takes_array = std::is_invocable_v<Function&, const Literal&>;
template <class Function>
inline constexpr bool takes_pair = std::is_invocable_v<Function&, const Literal&, const Literal&>;

template <class Function>
decltype(auto) call_on_element(Function& function, const Example& element) {
  if constexpr (takes_element<Function>) {
    return function(element);
  } else if constexpr (takes_pair<Function>) {
    check_array_count(element, 2);
    return function(element.value(0), element.value(1));
  } else {
    check_array_count(element, 1);
    return function(element.value(0));
  }
}

template <class Function>
ElementFunction element_function(Function function) {
  static_assert(takes_element<Function> || takes_array<Function> || takes_pair<Function>,
                "map: the function must take (const Example&), (const Literal&) or (const "
                "Literal&, const Literal&)");
  if constexpr (takes_element<Function> || takes_array<Function> || takes_pair<Function>) {
    using Result = decltype(call_on_element(function, std::declval<const Example&>()));
    static_assert(ElementResult<Result>,
                  "map: the function must return an Example, a Literal or a pair of Literals");
    return [function = std::move(function)](const Example& element) mutable -> Example {
      if constexpr (std::is_convertible_v<Result, Example>) {
        return call_on_element(function, element);
      } else if constexpr (std::is_convertible_v<Result, Literal>) {
        return named_result(element, Literal(call_on_element(function, element)));
      } else if constexpr (ElementResult<Result>) {
        return named_result(element,
                            std::pair<Literal, Literal>(call_on_element(function, element)));
      }
    };
  } else {
    return {};
  }
}

template <class Function>
ElementPredicate element_predicate(Function function) {
  static_assert(takes_element<Function> || takes_array<Function> || takes_pair<Function>,
                "filter: the function must take (const Example&), (const Literal&) or (const "
                "Literal&, const Literal&)");
  return [function = std::move(function)](const Example& element) mutable -> bool {
    return call_on_element(function, element);
  };
}

}  // namespace data
}  // namespace systolic::inline v0
