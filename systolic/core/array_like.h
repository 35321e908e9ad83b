// An array as an argument: a Literal, or something that converts to one.
//
//   from_tensor_slices({tokenizer(texts), labels});   // labels: a std::vector<int32_t>
#pragma once

#include <concepts>
#include <string>
#include <utility>
#include <vector>

#include "systolic/core/example.h"

namespace systolic::inline v0 {

class ArrayLike {
 public:
  ArrayLike(Literal array) : array_(std::move(array)) {}  // NOLINT: an argument
  template <class T>
  requires Element<T> || std::same_as<T, std::string> ArrayLike(  // NOLINT
      const std::vector<T>& values)
      : array_(Example::Component("", values).value) {}
  // Such as a table's column.
  template <class Column>
  requires(std::convertible_to<const Column&, const Literal&> && !std::same_as<Column, Literal>)
      ArrayLike(const Column& column)  // NOLINT
      : array_(static_cast<const Literal&>(column)) {}

  const Literal& array() const { return array_; }

 private:
  Literal array_;
};

}  // namespace systolic::inline v0
