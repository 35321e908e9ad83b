#include "systolic/stablehlo/verify/rules/gather_axes.h"

#include <algorithm>

namespace systolic::inline v0 {
namespace stablehlo {

Axes joined(Axes a, const Axes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

bool contains(const Axes& axes, int64_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

int64_t index_vector_size(const NamedValue& indices, int64_t vector_dim) {
  return vector_dim < indices.rank() ? indices.dim(vector_dim) : 1;
}

Axes without_vector_dim(const NamedValue& indices, int64_t vector_dim) {
  Axes sizes;
  for (int64_t axis = 0; axis < indices.rank(); ++axis) {
    if (axis != vector_dim) sizes.push_back(indices.dim(axis));
  }
  return sizes;
}

Axes combine(const Axes& batch, const Axes& window, const Axes& window_axes) {
  Axes shape;
  size_t next_batch = 0, next_window = 0;
  for (size_t axis = 0; axis < batch.size() + window.size(); ++axis) {
    const bool of_window = contains(window_axes, static_cast<int64_t>(axis));
    if (of_window && next_window < window.size()) {
      shape.push_back(window[next_window++]);
    } else if (next_batch < batch.size()) {
      shape.push_back(batch[next_batch++]);
    }
  }
  return shape;
}

void verify_batching(const OpVerifier& op, const BatchingLabels& labels, const BatchingNames& names,
                     const NamedValue& operand, const NamedValue& indices, const Axes& batching,
                     const Axes& indices_batching, int64_t vector_dim) {
  const std::string name = str(names.indices, "_batching_dims");
  op.unique(labels.unique, name, indices_batching);
  op.in_range(labels.range, name, indices_batching, indices.rank());
  op.require(!contains(indices_batching, vector_dim), labels.not_vector_dim, [&] {
    return Violation{name, str("[", join(indices_batching), "]"),
                     str("others than index_vector_dim = ", vector_dim)};
  });
  op.is(labels.size, str("size(", name, ")"), static_cast<int64_t>(indices_batching.size()),
        static_cast<int64_t>(batching.size()));
  for (size_t i = 0; i < batching.size(); ++i) {
    op.same_dim(labels.dims, indices, indices_batching[i], operand, batching[i]);
  }
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
