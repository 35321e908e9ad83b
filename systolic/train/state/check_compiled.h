// Whether a model can be trained and evaluated. Internal to train.
#pragma once

#include <string_view>

#include "systolic/base/source_location.h"
#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {

// `what` as in "fit": of a model that is not compiled, or of a kind that has no loss
// and was given none (OwnLoss::hint_without_loss), is a FailedPrecondition.
void check_compiled(const ModelState& state, std::string_view what, SourceLocation location);

}  // namespace systolic::inline v0
