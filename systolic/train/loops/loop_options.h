// What fit, evaluate and predict ask of a model and of their options alike. Internal to train.
#pragma once

#include <cstdint>
#include <string_view>

#include "systolic/base/source_location.h"
#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {

// `what` as in "fit": of a model that is not compiled, or of a kind that has no loss
// and was given none (OwnLoss::hint_without_loss), is a FailedPrecondition.
void want_compiled(const ModelState& state, std::string_view what, SourceLocation location);
// 0 or more, else an InvalidArgument that names the field.
void want_not_negative(std::string_view field, int64_t value, SourceLocation location);
// 1 or more, or -1, else an InvalidArgument that names the field.
void want_steps(std::string_view field, int64_t steps, SourceLocation location);
// Without steps a dataset that is known to have no end is an InvalidArgument that names the field.
void want_end(const data::Dataset& dataset, std::string_view field, int64_t steps,
              SourceLocation location);

}  // namespace systolic::inline v0
