// A name or a position that is asked for, together with the line that asks: the parameter of an
// operator[], whose single argument leaves no room for the line.
//
//   const Column& operator[](NameAt name) const;      table["sentence"]
//   Literal operator[](PositionAt i) const;           column[0]
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {

struct NameAt {
  template <std::convertible_to<std::string_view> Text>
  NameAt(const Text& text, SourceLocation at = SourceLocation::current())  // NOLINT
      : name(text), location(at) {}

  std::string_view name;
  SourceLocation location;
};

// What may index: integers, and enumerators of a plain enum.
template <class T>
concept Position = std::integral<T> ||(std::is_enum_v<T>&& std::convertible_to<T, int64_t>);

struct PositionAt {
  template <Position Integer>
  PositionAt(Integer i, SourceLocation at = SourceLocation::current())  // NOLINT
      : position(static_cast<int64_t>(i)), location(at) {}

  int64_t position;
  SourceLocation location;
};

}  // namespace systolic::inline v0
