// How a layer or network is called.
#pragma once

#include <optional>
#include <vector>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

struct CallOptions {
  // Dropout drops, BatchNormalization takes the statistics of the batch.
  bool training = false;
  // [batch], pred: false for rows that only pad the last batch; batch statistics leave them out.
  std::optional<Tensor> sample_mask = {};
  // u64[2]: random layers draw from it; without, from a state that the network keeps.
  std::optional<Tensor> random_key = {};
  // Where regularizers and add_loss put their f32 scalars; nowhere by default.
  std::vector<Tensor>* losses = nullptr;
};

}  // namespace systolic::inline v0
