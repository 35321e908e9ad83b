// How one call of a `function` is told from another: by the values of the arguments that are not
// Tensors.
//
// Numbers, text, enums, Shapes, Literals, and std::optional, pair, tuple and ordered containers of
// these are compared by value; models, optimizers, metrics, layers, Variables, datasets and
// whatever a std::shared_ptr holds are compared by identity. A struct says what counts:
//
//   struct Options {
//     double rate;
//     friend auto trace_key(const Options& options) { return std::tuple(options.rate); }
//   };
//
// A function of that name returns anything that can itself be an argument; returning a shared_ptr
// compares the struct by identity.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

namespace internal {

template <class T>
concept HasTraceKey = requires(const T& value) {
  trace_key(value);
};
template <class T>
concept TupleLike = requires {
  std::tuple_size<T>::value;
};
// Hashed containers have no reliable order.
template <class T>
concept OrderedRange = requires(const T& value) {
  value.begin();
  value.end();
}
&&!requires { typename T::hasher; };
template <class T>
concept VisitsTensors = requires(T& value) {
  value.visit_tensors([](auto&) {});
};
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_shared_ptr = false;
template <class T>
inline constexpr bool is_shared_ptr<std::shared_ptr<T>> = true;
template <class T>
inline constexpr bool never = false;

}  // namespace internal

class TraceKey {
 public:
  // Two types never give the same key, even where their values are the same bytes.
  template <class T>
  void add_type() {
    add(std::string_view(typeid(T).name()));
  }

  template <class T>
  void add(const T& value) {
    if constexpr (std::is_same_v<T, Tensor>) {
      bytes_ += 'T';  // its type is compared apart
    } else if constexpr (internal::HasTraceKey<T>) {
      add(trace_key(value));
    } else if constexpr (std::is_same_v<T, long double>) {
      add(std::pair(static_cast<double>(value),
                    static_cast<double>(value - static_cast<double>(value))));
    } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    } else if constexpr (std::is_same_v<T, Literal>) {
      add_literal(value);
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      const std::string_view text = value;
      add(text.size());
      bytes_ += text;
    } else if constexpr (internal::is_optional<T>) {
      add(value.has_value());
      if (value) add(*value);
    } else if constexpr (internal::is_shared_ptr<T>) {
      add_identity(value);
    } else if constexpr (internal::TupleLike<T>) {
      std::apply([&](const auto&... parts) { (add(parts), ...); }, value);
    } else if constexpr (internal::OrderedRange<T>) {
      for (const auto& part : value) {
        bytes_ += '+';
        add(part);
      }
      bytes_ += '.';
    } else if constexpr (internal::VisitsTensors<T>) {
      // Only const for want of a second member: nothing is changed.
      const_cast<T&>(value).visit_tensors([&](auto& part) { add(part); });
    } else {
      static_assert(
          std::is_empty_v<T>,
          "an argument of a `function` is neither a Tensor nor of a type whose values can "
          "be compared: give it a friend `auto trace_key(const T&)` that "
          "returns what tells them apart (a std::tuple of its fields), pass it in a "
          "std::shared_ptr, or capture it (systolic/trace/function/trace_key.h)");
    }
  }

  friend bool operator==(const TraceKey& a, const TraceKey& b) { return a.bytes_ == b.bytes_; }

 private:
  // Keeps the object, so that no other can get its address.
  void add_identity(std::shared_ptr<const void> object);
  void add_literal(const Literal& literal);

  std::string bytes_;
  std::vector<std::shared_ptr<const void>> kept_;
};

}  // namespace systolic::inline v0
