// What the host knows about integers that it has copied to a device: the range they lie in. Layers
// that look integers up can then report wrong ones before a program runs, on any device.
#pragma once

#include <cstdint>
#include <optional>

#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace runtime {

struct IntegerBounds {
  int64_t least = 0, most = 0;
};

// The least and the largest of integers of 16 bits or more; none for bytes, which are pictures and
// texts, and for no elements.
std::optional<IntegerBounds> integer_bounds(const Literal& values);

}  // namespace runtime
}  // namespace systolic::inline v0
