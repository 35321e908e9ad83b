// The identity matrix times gain (keras.initializers.Identity); two axes only.
#pragma once

#include <optional>

#include "systolic/core/literal.h"
#include "systolic/nn/config/fields.h"

namespace systolic::inline v0 {

struct Identity {
  static constexpr const char* kind = "Identity";
  double gain = 1.0;

  Literal operator()(const Shape& shape, uint64_t layer_seed) const;
  static constexpr auto fields() { return std::tuple(field("gain", &Identity::gain)); }
};

}  // namespace systolic::inline v0
