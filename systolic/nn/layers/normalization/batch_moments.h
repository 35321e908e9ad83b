// Mean and variance of each channel over a batch. Internal to nn.
#pragma once

#include <optional>

#include "systolic/trace/replica_context.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

struct Moments {
  Tensor mean, variance;  // x's type [channels]; 0 where nothing counts
  // []: of each channel's numbers those that count, where there is a mask.
  std::optional<Tensor> count = {};
};

// x f32 or f64, channels at `axis`. Rows where `mask` [batch] is false do not count, nor steps
// where it is [batch, steps]: then channels come after them. In a per-core program over all cores
// if `synchronized`, else over the core's own share; the variance is the biased one.
Moments batch_moments(const Tensor& x, int axis, const std::optional<Tensor>& mask,
                      bool synchronized);

}  // namespace systolic::inline v0
