// Stochastic depth (Huang et al. 2016, arXiv 1603.09382). Internal to transformers.
#pragma once

#include <cstdint>
#include <string>

#include "systolic/nn/call_context.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// What a layer adds to its input, [batch, ...]: while training 0 for some of the samples, and
// scaled by 1 / (1 - rate) for the others.
Tensor drop_path(const Tensor& x, double rate, std::string name, CallContext& context);

// The rate of layer `i` of `count`: from 0 for the first to `last` for the last.
double drop_path_rate(double last, int64_t i, int64_t count);

}  // namespace systolic::inline v0
