// What a model's inputs ask of the batches: those that the data leaves out get their default
// values, and integers must lie in their range. Internal to train.
#pragma once

#include <string>
#include <vector>

#include "systolic/core/example.h"
#include "systolic/nn/network.h"

namespace systolic::inline v0 {

// Adds to `batch` the inputs that it leaves out, where they have a default_value. With one input
// that has none, the batch's first component is that input, whatever its name. Does nothing where
// the batch fits no better for it: BatchLayout says then what is wrong.
void add_defaults(Example& batch, const std::vector<NetworkPort>& inputs);

// An integer outside of [0, values_below) is an InvalidArgument that names it, its component and
// its place.
void check_range(const Example& batch, size_t component, const InputRules& rules, int64_t number);

}  // namespace systolic::inline v0
