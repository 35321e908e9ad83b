// Ids of batches as programs take them: a TPU's arrays have sizes that are known before it runs. A
// function for map, after the batch:
//
//   dataset.ragged_batch(64).map(tpu::experimental::embedding::padded_ids(features,
//                                                                         {.max_ids = 50}))
//
// For each ragged feature it takes the RaggedTensor or SparseTensor of that name, and its weights,
// "NAME_weights", of the same form if there are any; in their place stand
//   NAME          i32 [batch, most]: the ids of each sample from the left
//   NAME_weights  f32 [batch, most]: their weights, 1 without any; 0 where there is no id
// which are the two inputs of that feature. Ids of dense features become i32. Everything else is
// left as it is.
//
// An id below zero or past its table, a weight that is not a finite number, weights of other rows
// than the ids, and a sample of more than max_ids are InvalidArguments that name the feature and
// the row: no id is dropped in silence.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "systolic/core/example.h"
#include "systolic/nn/embedding/config.h"

namespace systolic::inline v0 {
namespace tpu::experimental::embedding {

struct PaddedIdsOptions {
  // The most that a sample may have of a feature. 0: as the longest of the batch, rounded up to a
  // power of two; each number compiles a program of its own.
  int64_t max_ids = 0;
};

std::function<Example(const Example&)> padded_ids(
    const std::vector<FeatureConfig>& features, PaddedIdsOptions options = {},
    SourceLocation location = SourceLocation::current());

}  // namespace tpu::experimental::embedding
}  // namespace systolic::inline v0
