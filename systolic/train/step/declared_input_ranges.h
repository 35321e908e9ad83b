// Which integers of a model's inputs its layers look up. Internal to train.
#pragma once

#include <optional>
#include <vector>

#include "systolic/ir/module.h"
#include "systolic/nn/network/network.h"
#include "systolic/train/state/input_range.h"

namespace systolic::inline v0 {

// What the layers of a network declare; nothing where one does not (Network::lookups). No layer is
// called for it.
std::optional<std::vector<InputRange>> declared_input_ranges(const Network& network,
                                                             const std::vector<ir::Type>& inputs);

}  // namespace systolic::inline v0
