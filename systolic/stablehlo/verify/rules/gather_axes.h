// What gather and scatter share: the axes of their indices.
#pragma once

#include "systolic/stablehlo/verify/op/op_verifier.h"

namespace systolic::inline v0 {
namespace stablehlo {

Axes joined(Axes a, const Axes& b);
bool contains(const Axes& axes, int64_t axis);
// How many numbers make up an index: 1 where index_vector_dim is past the last axis.
int64_t index_vector_size(const NamedValue& indices, int64_t vector_dim);
// The sizes of the other axes.
Axes without_vector_dim(const NamedValue& indices, int64_t vector_dim);
// `window` sizes at `window_axes`, `batch` sizes at the others.
Axes combine(const Axes& batch, const Axes& window, const Axes& window_axes);

// The numbers of the labels of the indices' batching axes.
struct BatchingLabels {
  int unique, range, not_vector_dim, size, dims;
};
struct BatchingNames {
  std::string_view indices, operand_axes;
};
void verify_batching(const OpVerifier& op, const BatchingLabels& labels, const BatchingNames& names,
                     const NamedValue& operand, const NamedValue& indices, const Axes& batching,
                     const Axes& indices_batching, int64_t vector_dim);

}  // namespace stablehlo
}  // namespace systolic::inline v0
