// Which blocks of keys BigBird's block sparse attention draws at random. transformers draws them
// anew in each training step from a fixed seed, the layer's number, so that a layer always has the
// same ones; here they are the same numbers, drawn as numpy's RandomState draws them. Outside of
// training transformers draws none: block 0 takes each place.
#pragma once

#include <cstdint>
#include <vector>

namespace systolic::inline v0 {

struct RandomBlockOptions {
  int64_t blocks = 0;         // of the sequence
  int64_t block_size = 64;    // tokens
  int64_t random_blocks = 3;  // of each row of blocks; blocks > 2 random_blocks + 5
  int64_t heads = 1;
  int64_t most_positions = 4096;  // that the model knows
  uint32_t seed = 0;
};

// [heads, blocks - 2, random_blocks]: for each block of queries except the first and the last. By
// the paper's plan for 1024, 3072 and 4096 tokens, otherwise by transformers' own. InvalidArgument
// where the paper's plan leaves a row fewer blocks to choose from.
std::vector<int32_t> random_blocks(const RandomBlockOptions& options);

}  // namespace systolic::inline v0
