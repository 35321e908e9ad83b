// Integers of a program's input that a layer looks up: on the device, those out of range would be
// clamped. Internal.
#pragma once

#include <cstdint>
#include <string>

#include "systolic/base/source_location.h"
#include "systolic/runtime/integer_bounds.h"

namespace systolic::inline v0 {

struct IntegerLimit {
  int64_t below = 0;            // they are in [0, below)
  const char* layer_path = "";  // of the layer, interned
};

// The InvalidArgument of a layer that knows `below` integers; `what` names the one that is wrong.
[[noreturn]] void raise_beyond_limit(std::string what, int64_t below, SourceLocation location);

// The error of the layer, at the call at `location`, if the bounds exceed its limit.
void check_limit(const IntegerLimit& limit, const runtime::IntegerBounds& bounds,
                 SourceLocation location);

}  // namespace systolic::inline v0
