// Which integers of a model's inputs its layers look up. Internal to train.
#pragma once

#include <cstddef>
#include <vector>

#include "systolic/ir/module.h"
#include "systolic/nn/network/network.h"
#include "systolic/train/state/input_range.h"

namespace systolic::inline v0 {

// What the layers of a network with traits declare. No layer computes anything for it.
std::vector<InputRange> declared_input_ranges(const Network& network,
                                              const std::vector<ir::Type>& inputs);

// Those of `wanted` that are of the first `inputs` arguments of the trace under way, or parts of
// them, with other types or axes at most.
std::vector<InputRange> ranges_of(const std::vector<IntegerRange>& wanted, size_t inputs);

}  // namespace systolic::inline v0
