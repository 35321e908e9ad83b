// A task's walk over the blocks of its operands, each packed as the inner kernel wants it; compiled
// once for each instruction set.
#if defined(SYSTOLIC_KERNELS_BLOCK_WALK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SYSTOLIC_KERNELS_BLOCK_WALK_INL_H_
#undef SYSTOLIC_KERNELS_BLOCK_WALK_INL_H_
#else
#define SYSTOLIC_KERNELS_BLOCK_WALK_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "backends/cpu/kernels/matmul/block_prefetch.h"
#include "backends/cpu/kernels/matmul/gemm-inl.h"
#include "backends/cpu/kernels/matmul/gemm_cut.h"
#include "backends/cpu/kernels/matmul/gemm_task.h"
#include "backends/cpu/kernels/matmul/pack-inl.h"
#include "backends/cpu/kernels/scratch_cursor.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {

// A block of a or of b as the inner kernel wants to read it.
struct Operand {
  const float* data;
  int64_t row, step;  // of a: between rows, between steps of k; of b: row is between panels
  int64_t tile;       // of a: between tiles of rows
};

template <class T>
Operand block_of_a(const MatmulOptions& o, const GemmTask& task, int64_t m, int64_t rows, int64_t k,
                   int64_t depth) {
  const T* source = static_cast<const T*>(task.a) + m * o.a.row_stride + k * o.a.column_stride;
  if constexpr (std::is_same_v<T, float>) {
    // As fast in place: operands that are small, read only once or twice, or contiguous.
    const bool once = task.n_end - task.n_begin <= 2 * tile_columns;
    if (once || reads_a_in_place(o) || o.m * o.k <= 32 * 1024) {
      return {source, o.a.row_stride, o.a.column_stride, tile_rows * o.a.row_stride};
    }
  }
  if (o.a.column_stride == 1) {
    for (int64_t i = 0; i < rows; ++i)
      convert_run(source + i * o.a.row_stride, task.a_buffer + i * depth, depth);
    return {task.a_buffer, depth, 1, tile_rows * depth};
  }
  pack_panels<tile_rows>(source, o.a.row_stride, o.a.column_stride, rows, depth, task.a_buffer);
  return {task.a_buffer, 1, tile_rows, tile_rows * depth};
}

template <class T>
Operand block_of_b(const MatmulOptions& o, const GemmTask& task, int64_t n, int64_t columns,
                   int64_t k, int64_t depth) {
  const T* source = static_cast<const T*>(task.b) + k * o.b.row_stride + n * o.b.column_stride;
  if constexpr (std::is_same_v<T, float>) {
    const bool once = task.m_end - task.m_begin <= 2 * tile_rows;  // or twice
    if ((once && o.b.column_stride == 1) || reads_b_in_place(o, {tile_rows, tile_columns})) {
      return {source, tile_columns, o.b.row_stride, 0};
    }
  }
  pack_panels<static_cast<int>(tile_columns)>(source, o.b.column_stride, o.b.row_stride, columns,
                                              depth, task.b_buffer);
  return {task.b_buffer, tile_columns * depth, tile_columns, 0};
}

inline constexpr GemmBlocks blocks = gemm_blocks({tile_rows, tile_columns});

using Prefetch = BlockPrefetch<NearCache::first>;

// One task's walk over its blocks: n outside, then k, then m.
template <class T>
class BlockWalk {
 public:
  BlockWalk(const MatmulOptions& options, const GemmTask& task) : o(options), task(task) {
    const int64_t rows = task.m_end - task.m_begin;
    const int64_t high = std::max<int64_t>(1, (rows + task.most_rows - 1) / task.most_rows);
    m_block = round_up_to((rows + high - 1) / high, tile_rows);
    const int64_t steps = task.k_end - task.k_begin;
    const int64_t deep = steps <= blocks.most_k ? 1 : (steps + blocks.k - 1) / blocks.k;
    k_block = std::clamp<int64_t>(round_up_to((steps + deep - 1) / deep, 16), 1, blocks.most_k);
    const int64_t width = task.n_end - task.n_begin;
    const int64_t wide = std::max<int64_t>(1, (width + blocks.n - 1) / blocks.n);
    n_block =
        std::clamp(round_up_to((width + wide - 1) / wide, tile_columns), tile_columns, blocks.n);
  }

  void run() {
    for (n = task.n_begin; n < task.n_end; n += n_block) {
      k = task.k_begin;
      do {  // once even if there is nothing to sum: c is then zeroed
        b = block_of_b<T>(o, task, n, columns(), k, depth());
        next_b = prefetch_b();
        for (m = task.m_begin; m < task.m_end; m += m_block) multiply_block();
        k += k_block;
      } while (k < task.k_end);
    }
    if (task.stream) hwy::FlushStream();
  }

 private:
  int64_t columns() const { return std::min(n_block, task.n_end - n); }
  int64_t depth() const { return std::min(k_block, task.k_end - k); }
  bool is_last_of_k() const { return k + k_block >= task.k_end; }
  int64_t rows() const { return std::min(m_block, task.m_end - m); }
  // Calls of multiply_tile for one block of a.
  int64_t tiles_of_block() const {
    return std::max<int64_t>(1, rows() / tile_rows) *
           ((columns() + tile_columns - 1) / tile_columns);
  }

  void multiply_block() {
    const Operand a = block_of_a<T>(o, task, m, rows(), k, depth());
    Prefetch next_a = prefetch_a();
    Tile tile{depth(), a.row, a.step, b.step, task.c_row, task.accumulate || k > task.k_begin};
    tile.stream = task.stream;
    if (o.relu && task.finishes && is_last_of_k()) tile.least = 0;
    float* c = task.c + (n - task.n_begin);
    if (task.consume == nullptr) c += (m - task.m_begin) * task.c_row;
    const int64_t columns = this->columns();
    for (int64_t j = 0; j < columns; j += tile_columns) {
      if (task.bias != nullptr && is_last_of_k()) tile.bias = task.bias + n + j;
      const auto* panel = b.data == nullptr ? b.data : b.data + j / tile_columns * b.row;
      multiply_panel(tile, rows(), a.tile, a.data, panel, c + j,
                     std::min(tile_columns, columns - j), [&] {
                       next_a();
                       next_b();
                     });
    }
    if (task.consume != nullptr) (*task.consume)(m, m + rows(), task.c);
  }

  // Prefetches the next block of a.
  Prefetch prefetch_a() const {
    int64_t next_m = m + m_block, next_k = k;
    if (next_m >= task.m_end) next_m = task.m_begin, next_k = k + k_block;
    const void* a = task.a;
    if (next_k >= task.k_end) a = task.next_a, next_k = task.k_begin;
    if (a == nullptr) return {};
    return {static_cast<const T*>(a) + next_m * o.a.row_stride + next_k * o.a.column_stride, o.a,
            std::min(m_block, task.m_end - next_m), std::min(k_block, task.k_end - next_k),
            tiles_of_block()};
  }
  Prefetch prefetch_b() const {
    int64_t next_k = k + k_block, next_n = n;
    if (next_k >= task.k_end) next_k = task.k_begin, next_n = n + n_block;
    const void* from = task.b;
    if (next_n >= task.n_end) from = task.next_b, next_n = task.n_begin;
    if (from == nullptr) return {};
    const int64_t tiles = std::max<int64_t>(1, (task.m_end - task.m_begin) / tile_rows) *
                          ((columns() + tile_columns - 1) / tile_columns);
    return {static_cast<const T*>(from) + next_k * o.b.row_stride + next_n * o.b.column_stride, o.b,
            std::min(k_block, task.k_end - next_k), std::min(n_block, task.n_end - next_n), tiles};
  }

  const MatmulOptions& o;
  const GemmTask& task;
  int64_t m_block, k_block, n_block;  // equal blocks, so that each covers the reading of the next
  int64_t n = 0, k = 0, m = 0;
  Operand b{};
  Prefetch next_b;
};

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
