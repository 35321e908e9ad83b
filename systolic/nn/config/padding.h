// How a convolution or pooling treats the border (Keras's `padding`): "valid" computes only where
// the whole window lies inside, "same" gives ceil(size / stride) outputs, "causal" (Conv1D) pads in
// front only, so that no output sees a later input.
#pragma once

#include <array>

#include "systolic/nn/config/choice.h"

namespace systolic::inline v0 {

struct PaddingNames {
  static constexpr std::string_view subject = "padding";
  static constexpr std::array<std::string_view, 3> names{"valid", "same", "causal"};
  static constexpr int position(std::string_view name) {
    const int found = position_in(names, name);
    if (found < 0) throw "padding must be one of: valid same causal";
    return found;
  }
};
using Padding = Choice<PaddingNames>;

}  // namespace systolic::inline v0
