// A name that is asked for, with the line that asks: what an operator[] takes, whose one argument
// has no room for the line.
//
//   const Column& operator[](NameAt name) const;      table["sentence"]
#pragma once

#include <concepts>
#include <string_view>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {

struct NameAt {
  template <std::convertible_to<std::string_view> Text>
  NameAt(const Text& text, SourceLocation at = SourceLocation::current())  // NOLINT
      : name(text), location(at) {}

  std::string_view name;
  SourceLocation location;
};

}  // namespace systolic::inline v0
