// The weights of a network for another number of tokens. Internal to transformers.
#pragma once

#include "systolic/nn/network/network.h"

namespace systolic::inline v0 {

// `resized` is built like `network`, except for the number of tokens. It gets the weights of
// `network` themselves where their shapes are equal; otherwise a weight that has what both have in
// common, and beyond that what it would have started as or, with `near_mean`, what lies near the
// mean of those it has (mean_vectors.h). What is frozen stays frozen.
void take_weights(const Network& resized, const Network& network, bool near_mean);

}  // namespace systolic::inline v0
