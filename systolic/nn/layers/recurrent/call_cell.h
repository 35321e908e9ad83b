// A cell as a layer of one step. Internal to nn.
#pragma once

#include "systolic/nn/layer.h"
#include "systolic/nn/layers/recurrent/recurrent_cell.h"

namespace systolic::inline v0 {

// xs: x [batch, ...] and the states, to the output and the new states. The cell's weights have
// their own names.
std::vector<Tensor> call_cell(const RecurrentCell& cell, const std::vector<Tensor>& xs,
                              CallContext& context);

}  // namespace systolic::inline v0
