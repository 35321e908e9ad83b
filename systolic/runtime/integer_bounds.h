// What the host knows of integers that it has copied to a device: between what they lie. Layers
// that look integers up can then be told of wrong ones before a program runs, on any device.
#pragma once

#include <cstdint>
#include <optional>

#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace runtime {

struct IntegerBounds {
  int64_t least = 0, most = 0;
};

// Of integers of 16 bits and more; bytes are pictures and texts. Nothing of none at all.
std::optional<IntegerBounds> integer_bounds(const Literal& values);

}  // namespace runtime
}  // namespace systolic::inline v0
