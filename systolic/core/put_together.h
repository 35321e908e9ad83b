// Arrays combined into one, with checks: stacked along a new axis, or concatenated.
//
//   stacked(batches, {.what = "component 'x'", .unit = "batch", .first = 16});   // [count, ...]
//   joined(outputs, {.what = "output 'dense'", .unit = "batch"});  // [sum of rows, ...]
//
// An array that does not fit is an InvalidArgument that names it by `unit` and number. Strings are
// refused.
#pragma once

#include <span>
#include <string>

#include "systolic/core/literal.h"

namespace systolic::inline v0 {

struct TogetherOptions {
  std::string what = {};       // what the arrays are
  std::string unit = "array";  // what one of them is called
  int64_t first = 0;           // the number of the first
  std::string hint = {};       // what to do if one does not fit
  SourceLocation location = {};
};

// All must have one type and shape.
Literal stacked(std::span<const Literal> arrays, const TogetherOptions& options = {});
// All must have one type, and one shape except for the first axis.
Literal joined(std::span<const Literal> arrays, const TogetherOptions& options = {});

}  // namespace systolic::inline v0
