// What a model asks of the batches: inputs that the data leaves out get their default values, and
// integers, labels too, must lie in their range. What is said of the first batch, which the run's
// thread reads, is an event; of later ones only the log hears. Internal to train.
#pragma once

#include <string>
#include <vector>

#include "systolic/core/example.h"
#include "systolic/nn/network/network.h"
#include "systolic/train/batches/step_feed_options.h"

namespace systolic::inline v0 {

// Adds to `batch` the inputs that it leaves out, where they have a default_value. With one input
// that has none, the batch's first component is that input, whatever its name. Does nothing where
// the batch fits no better for it: BatchLayout says then what is wrong.
void add_defaults(Example& batch, const std::vector<NetworkPort>& inputs);

// Whether the component should be normalized and is bytes, or floats that lie as bytes do: that is
// said.
void warn_of_bytes(const Example& batch, size_t component, const InputRules& rules);
// A number outside of [0, values_below), float or integer, is an InvalidArgument that names it, its
// component and its place.
void check_range(const Example& batch, size_t component, const InputRules& rules, int64_t number);
// The same for what a layer looks up; `besides` is what the input is given where it is left out.
void check_lookup(const Example& batch, size_t component, const InputRange& range,
                  std::optional<double> besides, int64_t number);
// Whether labels that should lie from 0 to 1 do not: then that is said.
bool warn_of_no_probabilities(const Example& batch, size_t component, const std::string& hint);
// The same for labels that must be classes, or be ignored; that all of them are is a warning.
void check_labels(const Example& batch, size_t component, const LabelRange& range, int64_t number);

}  // namespace systolic::inline v0
