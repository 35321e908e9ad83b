// All 0 (keras.initializers.Zeros).
#pragma once

#include <optional>

#include "systolic/core/literal.h"
#include "systolic/nn/config/fields.h"

namespace systolic::inline v0 {

struct Zeros {
  static constexpr const char* kind = "Zeros";

  Literal operator()(const Shape& shape, uint64_t layer_seed) const;
  static constexpr auto fields() { return std::tuple(); }
};

}  // namespace systolic::inline v0
