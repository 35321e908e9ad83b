#include "systolic/nn/embedding/lookup.h"

#include "systolic/base/error.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace tpu::experimental::embedding {
namespace {

// The first `length` places along the second axis, or zeros after those there are.
Tensor with_length(const Tensor& x, int64_t length, int64_t padding) {
  const int64_t have = x.shape()[1];
  if (have >= length) return slice(x, {0, 0}, {x.shape()[0], length});
  return pad(x, {{0, 0}, {0, length - have}}, static_cast<double>(padding));
}

}  // namespace

Tensor combined(Combiner combiner, const Tensor& vectors, const Tensor& weights) {
  const Tensor total = sum(vectors * expand_dims(weights, -1), {.axis = 1});
  if (combiner.is("sum")) return total;
  const Tensor size = combiner.is("mean")
                          ? sum(weights, {.axis = 1, .keepdims = true})
                          : sqrt(sum(square(weights), {.axis = 1, .keepdims = true}));
  return total / where(size != 0, size, ones_like(size));
}

Tensor activations(const FeatureConfig& feature, const Tensor& table, const FeatureInput& input) {
  const TableConfig& config = feature.table;
  Tensor ids = cast(input.ids, DType::i32);
  if (!input.weights) {
    if (feature.max_sequence_length == 0) return gather(table, ids);
    check_rank(ids, 2, "[batch, length]");
    const int64_t padding = config.vocabulary_size;
    ids = with_length(ids, feature.max_sequence_length, padding);
    const Tensor real = expand_dims(cast(ids < padding, table.dtype()), -1);
    return gather(table, ids) * real;
  }
  check_rank(ids, 2, "[batch, most ids of a sample]");
  check_rank(*input.weights, 2, "[batch, most ids of a sample]");
  Tensor weights = cast(*input.weights, table.dtype());
  const Tensor counts = feature.validate_weights_and_indices ? weights > 0 : weights != 0;
  weights = where(counts, weights, 0.0);
  // What does not count looks up the row after the last id's, whose gradient is zero.
  ids = where(counts, ids, config.vocabulary_size.get());
  if (feature.max_sequence_length == 0)
    return combined(config.combiner, gather(table, ids), weights);
  ids = with_length(ids, feature.max_sequence_length, config.vocabulary_size.get());
  weights = with_length(weights, feature.max_sequence_length, 0);
  return gather(table, ids) * expand_dims(weights, -1);
}

}  // namespace tpu::experimental::embedding
}  // namespace systolic::inline v0
