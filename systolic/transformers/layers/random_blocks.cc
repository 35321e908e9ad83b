#include "systolic/transformers/layers/random_blocks.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace {

using Blocks = std::vector<int32_t>;

// numpy.random.RandomState: the Mersenne Twister, and its way to draw below a bound, by masks.
class RandomState {
 public:
  explicit RandomState(uint32_t seed) : bits_(seed) {}

  void shuffle(Blocks& x) {
    for (size_t i = x.size(); i-- > 1;) std::swap(x[i], x[up_to(static_cast<uint32_t>(i))]);
  }

 private:
  uint32_t up_to(uint32_t most) {
    uint32_t mask = most;
    for (const int shift : {1, 2, 4, 8, 16}) mask |= mask >> shift;
    for (;;) {
      const auto drawn = static_cast<uint32_t>(bits_()) & mask;
      if (drawn <= most) return drawn;
    }
  }
  std::mt19937 bits_;
};

Blocks counted(int64_t begin, int64_t end) {
  Blocks result(static_cast<size_t>(std::max<int64_t>(0, end - begin)));
  std::iota(result.begin(), result.end(), static_cast<int32_t>(begin));
  return result;
}

// The blocks that a row of the paper's plan may choose from: not its neighbors, and none past the
// first 1024 tokens.
Blocks paper_candidates(int64_t row, int64_t blocks, int64_t block_size) {
  constexpr int64_t chosen_from = 1024;  // tokens
  const int64_t last = chosen_from > 2 * block_size ? chosen_from / block_size - 1 : blocks - 1;
  // The blocks with these indices among 1, 2, ... blocks - 2.
  const auto part = [&](int64_t begin, int64_t end) {
    return counted(begin + 1, std::min(end, blocks - 2) + 1);
  };
  if (row == 1) return part(2, last);
  if (row == 2) return part(3, last);
  if (row == blocks - 3 || row == blocks - 2) return part(0, last);
  if (row - 2 > last) return part(0, last);
  Blocks result = part(0, row - 2);
  if (row + 1 == last) return result;
  const Blocks after = part(row + 1, last);
  result.insert(result.end(), after.begin(), after.end());
  return result;
}

// [blocks - 2, random_blocks] of one head, for the longest sequence: shorter ones take its front.
void append_paper_rows(const RandomBlockOptions& options, RandomState& random, Blocks& result) {
  const int64_t blocks = options.most_positions / options.block_size;
  for (int64_t row = 1; row <= blocks - 2; ++row) {
    Blocks row_blocks = paper_candidates(row, blocks, options.block_size);
    random.shuffle(row_blocks);
    if (ssize(row_blocks) < options.random_blocks) {
      raise<InvalidArgument>(
          {.what = str("block sparse attention over ", blocks, " blocks of ", options.block_size,
                       " tokens, of which row ", row, " can choose from ", row_blocks.size()),
           .wanted = str("at least ", options.random_blocks, ", num_random_blocks"),
           .hint = "attention_type = \"original_full\" attends fully"});
    }
    if (row > options.blocks - 2) continue;  // drawn all the same
    result.insert(result.end(), row_blocks.begin(), row_blocks.begin() + options.random_blocks);
  }
}

// All choose from the front of the sequence: not the first and last block there, nor neighbours.
void append_row(int64_t row, const RandomBlockOptions& options, RandomState& random,
                Blocks& result) {
  const int64_t end = 2 * options.random_blocks + 5;
  Blocks drawn = counted(0, end);
  random.shuffle(drawn);
  int64_t left = options.random_blocks;
  for (const int32_t block : drawn) {
    const bool taken = std::abs(block - row) <= 1 || block == 0 || block == end - 1 ||
                       (row == 1 && block == end - 2) || (row == end - 2 && block == 1);
    if (taken || left == 0) continue;
    result.push_back(block);
    --left;
  }
}

// From [row, head, random_blocks] to [head, row, random_blocks].
Blocks by_head(const Blocks& rows, const RandomBlockOptions& options) {
  const int64_t count = options.blocks - 2, each = options.random_blocks;
  Blocks result;
  for (int64_t head = 0; head < options.heads; ++head) {
    for (int64_t row = 0; row < count; ++row) {
      const auto from = rows.begin() + (row * options.heads + head) * each;
      result.insert(result.end(), from, from + each);
    }
  }
  return result;
}

}  // namespace

std::vector<int32_t> random_blocks(const RandomBlockOptions& options) {
  ensure(options.blocks > 2 * options.random_blocks + 5, "fewer blocks are attended to in full");
  RandomState random(options.seed);
  const int64_t tokens = options.blocks * options.block_size;
  Blocks result;
  if (tokens == 1024 || tokens == 3072 || tokens == 4096) {
    for (int64_t head = 0; head < options.heads; ++head) {
      append_paper_rows(options, random, result);
    }
    return result;
  }
  for (int64_t row = 1; row < options.blocks; ++row) {
    for (int64_t head = 0; head < options.heads; ++head) append_row(row, options, random, result);
  }
  return by_head(result, options);
}

}  // namespace systolic::inline v0
