// How a convolution or pooling treats the border (Keras's `padding`): "valid" computes only where
// the whole window lies inside, "same" gives ceil(size / stride) outputs, "causal" (Conv1D) pads in
// front only, so that no output sees a later input.
#pragma once

#include "systolic/nn/config/choice.h"

namespace systolic::inline v0 {

// The names that a Padding takes: valid, same, causal.
struct PaddingNames {
  SYSTOLIC_NAMES(throw "padding must be one of: valid same causal")
};
using Padding = Choice<PaddingNames>;

}  // namespace systolic::inline v0
