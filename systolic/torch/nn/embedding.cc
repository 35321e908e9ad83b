#include "systolic/torch/nn/embedding.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/torch/nn/init.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace torch {
namespace nn {

Embedding::Embedding(int64_t num_embeddings, int64_t embedding_dim, EmbeddingOptions options, At at)
    : Module("Embedding", at), options_(options) {
  if (num_embeddings < 1 || embedding_dim < 1) {
    raise<InvalidArgument>({.what = str("Embedding(", num_embeddings, ", ", embedding_dim, ")"),
                            .wanted = "1 or more of each",
                            .location = at});
  }
  Literal table = init::normal({num_embeddings, embedding_dim});
  if (options.padding_idx) {
    if (*options.padding_idx < 0) *options_.padding_idx += num_embeddings;
    const int64_t row = *options_.padding_idx;
    if (row < 0 || row >= num_embeddings) {
      raise<InvalidArgument>({.what = str("padding_idx ", *options.padding_idx),
                              .wanted = str("a row of ", num_embeddings),
                              .location = at});
    }
    const auto values = table.mutable_data<float>();
    std::fill_n(values.begin() + row * embedding_dim, embedding_dim, 0.0f);
  }
  weight = register_parameter("weight", std::move(table));
}

Tensor Embedding::forward(const Tensor& x) const {
  const At at = location();
  if (!is_integer(x.dtype())) {
    raise<InvalidArgument>({.what = str("input of type ", info(x.dtype()).name),
                            .wanted = "integers",
                            .hint = "ids.to(device, {.dtype = torch::long_})",
                            .location = at});
  }
  if (x.is_on_host()) {
    const Literal ids = x.literal(at);
    for (int64_t i = 0; i < ids.size(); ++i) {
      if (ids.integer_at(i) >= 0 && ids.integer_at(i) < weight.shape()[0]) continue;
      raise<InvalidArgument>({.what = str("id ", ids.integer_at(i), " at position ", i),
                              .wanted = str("0 to ", weight.shape()[0] - 1),
                              .location = at});
    }
  }
  const Tensor ids = x.to(int32, at);
  systolic::Tensor table = weight.value(at);
  const systolic::Tensor rows = gather(table, ids, 0, at);
  if (!options_.padding_idx) return rows;
  const Tensor pads = ids == *options_.padding_idx;
  return where(pads.unsqueeze(-1, at), stop_gradient(rows), rows);
}

}  // namespace nn
}  // namespace torch
}  // namespace systolic::inline v0
