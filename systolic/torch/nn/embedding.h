// Rows of a table by their numbers (torch.nn.Embedding).
#pragma once

#include <optional>

#include "systolic/torch/nn/module.h"

namespace systolic::inline v0 {
namespace torch {
namespace nn {

struct EmbeddingOptions {
  std::optional<int64_t> padding_idx = {};  // a row that starts as zeros and gets no gradient
};

class Embedding : public Module<Embedding> {
 public:
  // weight (num_embeddings, embedding_dim), normal with deviation 1.
  Embedding(int64_t num_embeddings, int64_t embedding_dim, EmbeddingOptions options = {},
            At at = At::current());

  // Integers [...] to [..., embedding_dim]. A number outside the table is an InvalidArgument where
  // the host knows it.
  Tensor forward(const Tensor& x) const;

  Parameter weight;

 private:
  EmbeddingOptions options_;
};

}  // namespace nn
}  // namespace torch
}  // namespace systolic::inline v0
