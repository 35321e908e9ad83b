// Attention of blocks of tokens to a few blocks each (BigBird: Zaheer et al. 2020, arXiv
// 2007.14062, section 2), so that its work grows with the length and not with its square. Internal
// to models.
//
// The first and the last block attend to all and are attended to by all. Each other one attends to
// itself, its two neighbors and `random_blocks` more: in training those of random_blocks.h,
// otherwise block 0 that many times again, as transformers computes it.
#pragma once

#include <cstdint>

#include "systolic/nn/call_context.h"

namespace systolic::inline v0 {

struct BlockSparse {
  int64_t block_size = 64;
  int64_t random_blocks = 3;
  int64_t most_positions = 4096;
  uint32_t seed = 0;  // the layer's number

  // Sequences of up to this many tokens are attended to in full.
  int64_t most_in_full() const { return (5 + 2 * random_blocks) * block_size; }
};

// query, key, value [batch, tokens, heads, size], tokens a multiple of block_size above
// most_in_full(); mask pred [batch, 1, 1, tokens] -> [batch, tokens, heads, size], 0 for what the
// mask hides.
Tensor block_sparse_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                              const Tensor& mask, const BlockSparse& sparse,
                              const CallContext& context);

}  // namespace systolic::inline v0
