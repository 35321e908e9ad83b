// What the ids of a feature become: the activations (tf.nn.embedding_lookup_sparse). Internal to
// nn.
#pragma once

#include <optional>

#include "systolic/nn/embedding/config.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {
namespace tpu::experimental::embedding {

// The ids of one feature, i32 [batch, ...], and for ragged ones weights, f32 [batch, most].
struct FeatureInput {
  Tensor ids;
  std::optional<Tensor> weights;
};

// The activations of `feature` in its table's values [table_rows, dim].
Tensor activations(const FeatureConfig& feature, const Tensor& table, const FeatureInput& input);

// [batch, most, dim] and weights of at least 0, [batch, most] -> [batch, dim].
Tensor combined(Combiner combiner, const Tensor& vectors, const Tensor& weights);

}  // namespace tpu::experimental::embedding
}  // namespace systolic::inline v0
