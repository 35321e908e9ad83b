// Makes one kind of function from all those that map and filter accept:
//
//   [](const Example& e) { return e["image"]; }                      // the whole element
//   [](const Literal& image, const Literal& label) { … }             // its arrays, one or two
//   [](int64_t n, std::string_view s) { return std::tuple(2 * n, s.size()); }   // their values
//
// Values are taken by the C++ type of the array: numbers and strings from scalars, std::span<const
// T> from any array. An element of other types is an InvalidArgument that names both.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/core/example.h"

namespace systolic::inline v0 {
namespace data {

using ElementFunction = std::function<Example(const Example&)>;
// What filter calls: true keeps the element.
using ElementPredicate = std::function<bool(const Example&)>;

// For a handler of what a function threw: rethrows it, naming the transformation, its line and the
// element. Anything that is not a systolic::Error becomes a FunctionFailed.
[[noreturn]] void rethrow_naming_element(std::string_view transformation, SourceLocation location,
                                         int64_t index);

// The element must have this many arrays; else InvalidArgument.
void check_array_count(const Example& element, size_t count);

// Results get the names of the element's arrays where there are as many; else "x", and "y" for the
// second.
inline Example named_result(const Example&, Example result) { return result; }
Example named_result(const Example& element, Literal result);
Example named_result(const Example& element, std::pair<Literal, Literal> result);

// The arguments of a function, or of a lambda or functor with one operator().
template <class Member>
struct ArgumentsOfMember;
template <class Result, class... Arguments>
struct ArgumentsOfMember<Result (*)(Arguments...)> {
  using types = std::tuple<std::remove_cvref_t<Arguments>...>;
};
template <class Result, class... Arguments>
struct ArgumentsOfMember<Result (*)(Arguments...) noexcept> {
  using types = std::tuple<std::remove_cvref_t<Arguments>...>;
};
template <class Result, class Class, class... Arguments>
struct ArgumentsOfMember<Result (Class::*)(Arguments...)> {
  using types = std::tuple<std::remove_cvref_t<Arguments>...>;
};
template <class Result, class Class, class... Arguments>
struct ArgumentsOfMember<Result (Class::*)(Arguments...) noexcept> {
  using types = std::tuple<std::remove_cvref_t<Arguments>...>;
};
template <class Result, class Class, class... Arguments>
struct ArgumentsOfMember<Result (Class::*)(Arguments...) const noexcept> {
  using types = std::tuple<std::remove_cvref_t<Arguments>...>;
};
template <class Result, class Class, class... Arguments>
struct ArgumentsOfMember<Result (Class::*)(Arguments...) const> {
  using types = std::tuple<std::remove_cvref_t<Arguments>...>;
};
template <class Function>
struct ArgumentsOfFunction : ArgumentsOfMember<decltype(&Function::operator())> {};
// A function pointer's arguments; those of a lambda are its operator()'s.
template <class Function>
requires std::is_pointer_v<Function>
struct ArgumentsOfFunction<Function> : ArgumentsOfMember<Function> {
};
// The types of a function's arguments, without const and references, as a std::tuple.
template <class Function>
using ArgumentsOf = typename ArgumentsOfFunction<Function>::types;

// How an argument is taken from an array: fits() tells whether, name() what is wanted.
template <class T>
struct ValueOf {
  static constexpr bool known = false;
};
template <Element T>
struct ValueOf<T> {
  static constexpr bool known = true;
  static bool fits(const Literal& x) { return x.dtype() == dtype_of<T> && x.rank() == 0; }
  static std::string name() { return to_string(dtype_of<T>) + "()"; }
  static T get(const Literal& x) { return x.item<T>(); }
};
template <Element T>
struct ValueOf<std::span<const T>> {
  static constexpr bool known = true;
  static bool fits(const Literal& x) { return x.dtype() == dtype_of<T>; }
  static std::string name() { return to_string(dtype_of<T>); }
  static std::span<const T> get(const Literal& x) { return x.data<T>(); }
};
template <class T>
requires std::is_same_v<T, std::string_view> || std::is_same_v<T, std::string>
struct ValueOf<T> {
  static constexpr bool known = true;
  static bool fits(const Literal& x) { return x.dtype() == DType::string && x.rank() == 0; }
  static std::string name() { return "string()"; }
  static T get(const Literal& x) { return T(x.bytes()); }
};
template <>
struct ValueOf<Literal> {
  static constexpr bool known = true;
  static bool fits(const Literal&) { return true; }
  static std::string name() { return "an array"; }
  static const Literal& get(const Literal& x) { return x; }
};

// Whether all types of a std::tuple can be taken from arrays, and there is at least one.
template <class Types>
inline constexpr bool all_values = false;
template <class... T>
inline constexpr bool all_values<std::tuple<T...>> = sizeof...(T) > 0 && (ValueOf<T>::known && ...);
// A function whose arguments have known types, unlike those of a generic lambda.
template <class Function>
concept HasArguments = std::is_pointer_v<Function> || requires {
  &Function::operator();
};
// A function whose arguments are values: numbers, strings, spans or arrays.
template <class Function>
concept TakesValues = HasArguments<Function> && all_values<ArgumentsOf<Function>>;

// InvalidArgument: what the function takes, and the element, which has something else.
[[noreturn]] void raise_other_types(const Example& element, const std::vector<std::string>& wanted);

// Calls function(value...) with what its arguments ask for.
template <class Function, class... T>
decltype(auto) call_with_values(Function& function, const Example& element,
                                std::type_identity<std::tuple<T...>>) {
  return [&]<size_t... i>(std::index_sequence<i...>)->decltype(auto) {
    if (element.size() != sizeof...(T) || !(ValueOf<T>::fits(element.value(i)) && ...))
      raise_other_types(element, {ValueOf<T>::name()...});
    return function(ValueOf<T>::get(element.value(i))...);
  }
  (std::index_sequence_for<T...>());
}

// An array of a result: an array, a number or a string.
inline Literal literal_result(Literal value) { return value; }
template <Element T>
Literal literal_result(T value) {
  return Literal::scalar<T>(value);
}
inline Literal literal_result(std::string_view value) { return Literal::scalar(value); }
// What one array of a result may be given as: a Literal, a number or a string.
template <class T>
concept OneResult = requires(T value) {
  literal_result(std::move(value));
};
// Whether a type is a pair or tuple of such results.
template <class T>
inline constexpr bool is_tuple_of_results = false;
template <OneResult... T>
inline constexpr bool is_tuple_of_results<std::tuple<T...>> = true;
template <OneResult A, OneResult B>
inline constexpr bool is_tuple_of_results<std::pair<A, B>> = true;

// What a function given to map may return.
template <class Result>
concept ElementResult = OneResult<Result> || is_tuple_of_results<Result> ||
    std::is_convertible_v<Result, Example> || std::is_convertible_v<Result, Literal> ||
    std::is_convertible_v<Result, std::pair<Literal, Literal>>;

// The results as an element: under the names of the element's arrays where there are as many, else
// under "x", "y", "x2", "x3" and so on.
Example named_results(const Example& element, std::vector<Literal> results);

// Whether a function takes the whole element.
template <class Function>
inline constexpr bool takes_element = std::is_invocable_v<Function&, const Example&>;
// Whether it takes an element's only array.
template <class Function>
inline constexpr bool takes_array = std::is_invocable_v<Function&, const Literal&>;
// Whether it takes an element's two arrays.
template <class Function>
inline constexpr bool takes_pair = std::is_invocable_v<Function&, const Literal&, const Literal&>;

// Calls the function with the element in the form that it takes: the whole, a pair of arrays,
// values, or one array. An element of another form is an InvalidArgument.
template <class Function>
decltype(auto) call_on_element(Function& function, const Example& element) {
  if constexpr (takes_element<Function>) {
    return function(element);
  } else if constexpr (takes_pair<Function>) {
    check_array_count(element, 2);
    return function(element.value(0), element.value(1));
  } else if constexpr (TakesValues<Function> && !takes_array<Function>) {
    return call_with_values(function, element, std::type_identity<ArgumentsOf<Function>>());
  } else {
    check_array_count(element, 1);
    return function(element.value(0));
  }
}

// Whether a function takes an element in any of these forms; else map and filter do not compile.
template <class Function>
inline constexpr bool takes_something = takes_element<Function> || takes_array<Function> ||
                                        takes_pair<Function> || TakesValues<Function>;

// The function given to map, as one from element to element.
template <class Function>
ElementFunction element_function(Function function) {
  static_assert(takes_something<Function>,
                "map: the function must take (const Example&), (const Literal&), (const Literal&, "
                "const Literal&), or values: numbers, std::string_view, std::span<const T>");
  if constexpr (takes_something<Function>) {
    using Result = decltype(call_on_element(function, std::declval<const Example&>()));
    constexpr bool returns_arrays = ElementResult<Result>;  // a bool, whose message is one line
    static_assert(returns_arrays,
                  "map: the function must return an Example, a Literal, a number or a string, or a "
                  "pair or tuple of these; pipelines run on the host, where arrays are Literals "
                  "and not Tensors");
    return [function = std::move(function)](const Example& element) mutable -> Example {
      if constexpr (std::is_convertible_v<Result, Example>) {
        return call_on_element(function, element);
      } else if constexpr (std::is_convertible_v<Result, Literal>) {
        return named_result(element, Literal(call_on_element(function, element)));
      } else if constexpr (std::is_convertible_v<Result, std::pair<Literal, Literal>>) {
        return named_result(element,
                            std::pair<Literal, Literal>(call_on_element(function, element)));
      } else if constexpr (OneResult<Result>) {
        return named_result(element, literal_result(call_on_element(function, element)));
      } else if constexpr (ElementResult<Result>) {
        return std::apply(
            [&](auto&&... each) {
              return named_results(element, {literal_result(std::move(each))...});
            },
            call_on_element(function, element));
      } else {
        return element;  // refused above
      }
    };
  } else {
    return {};
  }
}

// For functions that return something else, such as a Dataset or a key, and do not take a whole
// element.
template <class Function>
concept TakesParts = (!takes_element<Function>)&&takes_something<Function>;
template <class Result, TakesParts Function>
std::function<Result(const Example&)> of_whole_element(Function function) {
  return [function = std::move(function)](const Example& element) mutable -> Result {
    return call_on_element(function, element);
  };
}

// function(state, element), or the element's arrays or values in its place.
template <class State, class Function>
State call_with_state(Function& function, State state, const Example& element) {
  if constexpr (std::is_invocable_v<Function&, State, const Example&>) {
    return function(std::move(state), element);
  } else {
    using Arguments = ArgumentsOf<Function>;
    return [&]<class First, class... Rest>(std::type_identity<std::tuple<First, Rest...>>) {
      auto bound = [&](const Rest&... values) {
        return State(function(std::move(state), values...));
      };
      return call_with_values(bound, element, std::type_identity<std::tuple<Rest...>>());
    }(std::type_identity<Arguments>());
  }
}

// The function given to filter, as one from element to bool.
template <class Function>
ElementPredicate element_predicate(Function function) {
  static_assert(takes_something<Function>,
                "filter: the function must take (const Example&), (const Literal&), (const "
                "Literal&, const Literal&), or values: numbers, std::string_view");
  return [function = std::move(function)](const Example& element) mutable -> bool {
    return call_on_element(function, element);
  };
}

}  // namespace data
}  // namespace systolic::inline v0
