// A field that has no default: leaving it out does not compile.
//
//   struct Dense { Required<int64_t> units; ... };
//   Dense{.units = 10}      Dense{}   // error: no default constructor of Required<long>
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <type_traits>
#include <utility>
#include <vector>

namespace systolic::inline v0 {
namespace internal {

// What a braced list for a field of type T may hold; nothing can be `NoItem`.
struct NoItem {
  NoItem() = delete;
};
template <class T>
struct ListItem {
  using Type = NoItem;
};
template <class Item>
struct ListItem<std::vector<Item>> {
  using Type = Item;
};

}  // namespace internal

// Stands where a configuration is read from text, before its fields are filled in.
struct Unset {};

template <class T>
class Required {
 public:
  // An integer field takes only integers: `.units = 10.5` does not compile.
  template <class U>
  requires(!std::same_as<std::remove_cvref_t<U>, Required> &&
           (std::integral<T> ? std::integral<std::remove_cvref_t<U>>
                             : std::convertible_to<U, T>)) constexpr Required(U&& value)  // NOLINT
      : value_(static_cast<T>(std::forward<U>(value))) {}
  // A braced list: `.kernel_size = {3, 5}`, `.shape = {28, 28, 1}`.
  template <std::integral... Sizes>
  requires(sizeof...(Sizes) > 0 && !std::integral<T> && !std::floating_point<T> &&
           requires(Sizes... sizes) {
             T{static_cast<int64_t>(sizes)...};
           }) constexpr Required(  // NOLINT
      Sizes... sizes)
      : value_{static_cast<int64_t>(sizes)...} {}
  // `.values = {0.5, 1.5}` of a vector, of whatever its items are.
  Required(std::initializer_list<typename internal::ListItem<T>::Type> items)  // NOLINT
      requires(!std::same_as<typename internal::ListItem<T>::Type, internal::NoItem>)
      : value_(items) {}
  constexpr Required(Unset) : value_{} {}  // NOLINT

  constexpr const T& get() const { return value_; }
  constexpr operator const T&() const { return value_; }  // NOLINT
  constexpr const T* operator->() const { return &value_; }

  friend constexpr bool operator==(const Required& a, const Required& b) {
    return a.value_ == b.value_;
  }
  // `rate == 0.5`: by conversions alone, either side could become the other.
  template <class U>
  requires(!std::same_as<U, Required> &&
           requires(const T& a, const U& b) {
             { a == b } -> std::convertible_to<bool>;
           }) friend constexpr bool
  operator==(const Required& a, const U& b) {
    return a.value_ == b;
  }

 private:
  T value_;
};

}  // namespace systolic::inline v0
