// How a matrix product is cut: into blocks that the caches hold, and into tasks for the threads.
// Internal to matmul.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/cpu/kernels/matmul/matmul.h"

namespace systolic::inline v0 {
namespace kernels {

struct GemmTileSize {
  int64_t rows, columns;
  // Vectors of AVX2 or shorter: half as many multiply-adds to a step of k.
  constexpr bool is_narrow() const { return columns < 32; }
};

// Blocks of Goto's algorithm: a block of a stays in the second-level cache, a panel of b in the
// first, or as near.
struct GemmBlocks {
  int64_t k;
  int64_t most_k;  // a share of k up to this long is one block: two would write the sums twice
  int64_t m;       // a multiple of every target's tile_rows
  int64_t n;       // a multiple of every target's tile_columns
};

// The narrow tiles of AVX2 take more steps of k at a time. On a Zen 3 whose caches others share,
// sums that were read and written half as often, and blocks of a of 144 KiB, made products of
// transformers 1.04 to 1.1 times as fast as the blocks of AVX-512 did.
constexpr GemmBlocks gemm_blocks(GemmTileSize tile) {
  if (tile.is_narrow()) return {.k = 768, .most_k = 800, .m = 48, .n = 512};
  return {.k = 384, .most_k = 432, .m = 144, .n = 512};
}

// Into how many pieces m, n and k are cut.
struct GemmCut {
  int64_t m = 1, n = 1, k = 1;
  int64_t tasks(int64_t batch) const { return batch * m * n * k; }
};

// The first element of one of `parts` parts, which are multiples of `step` but for the last.
constexpr int64_t part_begin(int64_t size, int64_t parts, int64_t index, int64_t step) {
  const int64_t steps = (size + step - 1) / step;
  return std::min(size, steps * index / parts * step);
}

// Shares of many rows start at multiples of this, for k as for m: so the thread that sums the rows
// of a gradient, and updates those of a weight, reads the same ones in the product with that
// weight. Small, so that shares are about equal.
int64_t share_step(int64_t size, int64_t parts, int64_t least);

// Whether blocks of a are multiplied in place, without a copy: those of f32 that are contiguous in
// k. Not where rows are a multiple of 2 KiB apart: a tile's rows would evict one another from the
// first-level cache.
bool reads_a_in_place(const MatmulOptions& o);

// Whether b is multiplied in place: f32 whose rows are so close to each other that the cache keeps
// up. Packing would cost more than it saves. AVX2 reaches a row in half the time: there the rows of
// a panel must be spaced so that the first-level cache can hold them all.
bool reads_b_in_place(const MatmulOptions& o, GemmTileSize tile);

// Whether c is written once, in whole tiles, and is so large that it goes around the caches, where
// its rows are whole lines.
bool streams_result(const MatmulOptions& o, GemmTileSize tile);

// The tile of sums of the inner kernel on this processor.
GemmTileSize gemm_tile_size();

// The cheapest cut for so many threads. `small_tiles`: no task has more than 256 rows or columns.
GemmCut best_cut(const MatmulOptions& o, GemmTileSize tile, int threads, bool small_tiles);

// One share of the rows a thread, or one for all where handing out costs more than it saves. What
// is done with an element is taken to cost as much as 64 multiply-adds.
GemmCut rows_cut(const MatmulOptions& o, GemmTileSize tile, int threads);

// Rows that are summed before they are consumed: as many as the first-level cache holds besides b,
// or, where b is too large for it, so many that reading b again for each group costs little.
int64_t rows_at_once(const MatmulOptions& o, GemmTileSize tile);

}  // namespace kernels
}  // namespace systolic::inline v0
