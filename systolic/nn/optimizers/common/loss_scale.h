// Gradients of a scaled loss, which keeps those in f16 from vanishing. Internal to nn.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "systolic/nn/optimizers/optimizer_state.h"

namespace systolic::inline v0 {

// A loss_scale_factor that is not a finite number above 0 is an InvalidArgument.
void check_loss_scale(const OptimizerRule& rule, SourceLocation location);

// lazy_rows beside a scale of the loss is one, too.
void check_no_lazy_rows(const OptimizerRule& rule, std::string_view beside,
                        SourceLocation location);

// Divides the gradients by the scale, in place, and calls `apply`; with a scale that is found while
// training only where all are finite, on the device. The scale is updated.
void with_unscaled(OptimizerState& state, const std::vector<std::vector<Tensor>*>& gradients,
                   const std::function<void()>& apply);

}  // namespace systolic::inline v0
