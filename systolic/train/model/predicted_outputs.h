// What predict gave, as its forms give it. Internal to train.
#pragma once

#include <vector>

#include "systolic/core/example.h"
#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {

// The output of a model that has one; several are an InvalidArgument.
Literal only_output(const ModelState& state, std::vector<Literal> outputs, SourceLocation location);
Example named_outputs(const ModelState& state, std::vector<Literal> outputs);

}  // namespace systolic::inline v0
