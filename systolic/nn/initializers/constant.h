// Every element the same (keras.initializers.Constant).
#pragma once

#include <optional>

#include "systolic/core/literal.h"
#include "systolic/nn/config/fields.h"

namespace systolic::inline v0 {

struct Constant {
  static constexpr const char* kind = "Constant";
  double value = 0.0;

  Literal operator()(const Shape& shape, uint64_t layer_seed) const;
  static constexpr auto fields() { return std::tuple(field("value", &Constant::value)); }
};

}  // namespace systolic::inline v0
