// How a layer or network is called.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// Integers that a layer looks up: those of `values` must lie in [0, limit).
struct IntegerRange {
  Tensor values;
  int64_t limit = 0;
  std::string layer;  // its path
};

struct CallOptions {
  // Dropout drops, BatchNormalization takes the statistics of the batch.
  bool training = false;
  // [batch], pred: false for rows that only pad the last batch; batch statistics leave them out.
  std::optional<Tensor> sample_mask = {};
  // u64[2]: random layers draw from it; without, from a state that the network keeps.
  std::optional<Tensor> random_key = {};
  // Where regularizers and add_loss put their f32 scalars; nowhere by default.
  std::vector<Tensor>* losses = nullptr;
  // Where add_metric puts its f32 scalars with their names; nowhere by default.
  std::vector<std::pair<std::string, Tensor>>* metrics = nullptr;
  // Where layers such as Embedding say which integers they take; nowhere by default.
  std::vector<IntegerRange>* integer_ranges = nullptr;
};

}  // namespace systolic::inline v0
