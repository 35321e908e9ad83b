// Products of f32 by the matrix unit, each number in three of bf16 (amx/split.h), with what follows
// them: bias and relu.
//
// Rows of a are split and packed once for all threads; a task packs a block of columns of b, which
// then stays in its second-level cache while all rows pass by. Where k is cut, the sums of its
// pieces are added in f32. Where a number has no such parts the product is multiplied again in f32.
#include <algorithm>
#include <atomic>

#include "backends/cpu/kernels/amx/amx.h"
#include "backends/cpu/kernels/amx/split.h"
#include "backends/cpu/kernels/matmul/matmul_implementation.h"
#include "backends/cpu/kernels/scratch_cursor.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

using amx::block_edge;
using amx::split_step_elements;
using amx::step_depth;

constexpr int64_t block_sums = block_edge * block_edge;
// The part of b that a task packs at once: three parts of each number are 0.9 MB.
constexpr int64_t most_columns = 192, most_depth = 768;
// bf16 of a that are packed at once, for all tasks.
constexpr int64_t most_packed_left = 8 * 1024 * 1024;
// Fewer columns read a too often, and fewer rows are less work than packing b.
constexpr int64_t least_columns = 64, least_rows = 256;

// `size` in equal pieces of whole blocks, none larger than `most`, their number a multiple of
// `times` where there is enough: their size.
int64_t even_piece(int64_t size, int64_t most, int64_t times = 1) {
  return round_up_to(divided(size, round_up_to(divided(size, most), times)), block_edge);
}

struct SplitCut {
  SplitCut(const MatmulOptions& o, int threads)
      : columns(
            even_piece(o.n, most_columns, std::clamp<int64_t>(o.n / least_columns, 1, threads))),
        depth(even_piece(o.k, most_depth)),
        steps(divided(o.k, step_depth)),
        n_tasks(divided(o.n, columns)) {
    const int64_t fitting = most_packed_left / (3 * steps * step_depth);
    group = even_piece(o.m, std::max(block_edge, fitting / block_edge * block_edge));
    const int64_t slices = std::clamp<int64_t>(threads / n_tasks, 1, divided(group, least_rows));
    rows = round_up_to(divided(group, slices), block_edge);
    tasks = n_tasks * divided(group, rows);
  }

  // bf16 of 32 rows or columns over so many steps.
  static int64_t panel(int64_t steps) { return steps * split_step_elements; }

  int64_t columns, rows;   // of the result in a task
  int64_t group;           // rows of a that are packed at once
  int64_t depth;           // of k at once
  int64_t steps;           // of all of k
  int64_t n_tasks, tasks;  // in a row of tasks; in a group
};

struct SplitMatmul final : Matmul::Implementation {
  SplitMatmul(const MatmulOptions& options, int threads,
              std::unique_ptr<Matmul::Implementation> in_f32)
      : Implementation(options),
        cut(options, threads),
        slots(static_cast<int>(std::min<int64_t>(threads, cut.tasks))),
        in_f32(std::move(in_f32)) {}

  // Scratch memory, as it is divided.
  struct Memory {
    int* all_have_parts = nullptr;  // of all threads: 0 once a number has none
    bfloat16* left = nullptr;       // of all threads: a panel for each 32 rows
    bfloat16* right = nullptr;      // a panel for each 32 columns
    float* sums = nullptr;          // of the pieces of k so far, block by block
    float* block = nullptr;         // of one piece and one block
    int64_t floats = 0;             // up to its end
  };
  // What the thread of `slot` works with; after it comes the next slot's.
  Memory memory_of(void* scratch, int slot) const {
    ScratchCursor cursor(scratch);
    const auto bf16s = [&](int64_t count) {
      return reinterpret_cast<bfloat16*>(cursor.take(count / 2));
    };
    Memory memory;
    memory.all_have_parts = reinterpret_cast<int*>(cursor.take(1));
    memory.left = bf16s(divided(cut.group, block_edge) * SplitCut::panel(cut.steps));
    for (int i = 0; i <= slot; ++i) {
      memory.right =
          bf16s(cut.columns / block_edge * SplitCut::panel(divided(cut.depth, step_depth)));
      memory.sums = cursor.take(cut.depth < options.k ? cut.rows * cut.columns : 0);
      memory.block = cursor.take(block_sums);
    }
    memory.floats = cursor.taken();
    return memory;
  }

  size_t scratch_bytes() const override {
    const int64_t floats = memory_of(nullptr, slots - 1).floats;
    return std::max(sizeof(float) * static_cast<size_t>(floats), in_f32->scratch_bytes());
  }

  void run(const MatmulOperands& operands, void* scratch, ThreadPool& pool) const override {
    const Memory shared = memory_of(scratch, 0);
    *shared.all_have_parts = 1;
    for (int64_t m = 0; m < options.m && *shared.all_have_parts != 0; m += cut.group) {
      const int64_t end = std::min(options.m, m + cut.group);
      pool.parallel_for(divided(end - m, block_edge), 1, [&](int64_t first, int64_t last) {
        for (int64_t panel = first; panel < last; ++panel) {
          split_rows(operands, m + panel * block_edge, end,
                     shared.left + panel * SplitCut::panel(cut.steps), shared);
        }
      });
      pool.parallel_tasks(cut.tasks, slots, [&](int64_t task, int slot) {
        const int64_t row = task / cut.n_tasks * cut.rows;
        if (m + row >= end) return;  // of a last, shorter group
        const amx::TileShape shape;
        Memory memory = memory_of(scratch, slot);
        memory.left += row / block_edge * SplitCut::panel(cut.steps);
        multiply_columns(operands, m + row, std::min(end, m + row + cut.rows),
                         task % cut.n_tasks * cut.columns, memory);
      });
    }
    if (*shared.all_have_parts == 0) in_f32->run(operands, scratch, pool);
  }

 private:
  static void note(bool have_parts, const Memory& memory) {
    if (have_parts) return;
    std::atomic_ref(*memory.all_have_parts).store(0, std::memory_order_relaxed);
  }

  // Rows [m, m + 32), of those before `end`, over all of k.
  void split_rows(const MatmulOperands& operands, int64_t m, int64_t end, bfloat16* panel,
                  const Memory& memory) const {
    const MatmulOptions& o = options;
    const float* a = static_cast<const float*>(operands.a) + m * o.a.row_stride;
    bool all = true;
    for (int64_t k = 0; k < o.k; k += step_depth, panel += split_step_elements) {
      all &= amx::split_left(a + k * o.a.column_stride, o.a.row_stride, o.a.column_stride,
                             std::min(block_edge, end - m), std::min(step_depth, o.k - k), panel);
    }
    note(all, memory);
  }

  // `depth` of k, from k on, of the columns [n, end).
  void split_columns(const MatmulOperands& operands, int64_t n, int64_t end, int64_t k,
                     int64_t depth, const Memory& memory) const {
    const MatmulOptions& o = options;
    bfloat16* panel = memory.right;
    bool all = true;
    for (; n < end; n += block_edge) {
      const float* b =
          static_cast<const float*>(operands.b) + k * o.b.row_stride + n * o.b.column_stride;
      for (int64_t i = 0; i < depth; i += step_depth, panel += split_step_elements) {
        all &=
            amx::split_right(b + i * o.b.row_stride, o.b.row_stride, o.b.column_stride,
                             std::min(step_depth, depth - i), std::min(block_edge, end - n), panel);
      }
    }
    note(all, memory);
  }

  // The rows [m, end), which are packed, times the columns of a task, which begin at n.
  void multiply_columns(const MatmulOperands& operands, int64_t m, int64_t end, int64_t n,
                        const Memory& memory) const {
    const int64_t n_end = std::min(options.n, n + cut.columns);
    const int64_t across = divided(n_end - n, block_edge);
    for (int64_t k = 0; k < options.k; k += cut.depth) {
      const int64_t depth = std::min(cut.depth, options.k - k);
      const int64_t steps = divided(depth, step_depth);
      split_columns(operands, n, n_end, k, depth, memory);
      for (int64_t block = 0; block < divided(end - m, block_edge) * across; ++block) {
        const int64_t i = block / across, j = block % across;
        const bfloat16* left =
            memory.left + i * SplitCut::panel(cut.steps) + k / step_depth * split_step_elements;
        const bool more = m + (i + 1) * block_edge < end;
        amx::multiply_split(left, memory.right + j * SplitCut::panel(steps), steps,
                            more ? ahead(left, j, across, steps) : amx::Ahead(), memory.block);
        add_piece(k, memory, block * block_sums);
        if (k + depth < options.k) continue;
        write(operands, memory, m + i * block_edge, end, n + j * block_edge);
      }
    }
  }

  // What each of the blocks that read `left` prefetches of the panel after `left`.
  amx::Ahead ahead(const bfloat16* left, int64_t j, int64_t across, int64_t steps) const {
    constexpr int64_t line = 32;  // bf16
    const int64_t lines = divided(SplitCut::panel(steps) / line, across);
    return {.data = left + SplitCut::panel(cut.steps) + j * lines * line, .lines = lines};
  }

  // Where k is cut: adds the block's sums of the pieces before, which lie at `index`, and keeps
  // the sum for the next.
  void add_piece(int64_t k, const Memory& memory, int64_t index) const {
    if (cut.depth >= options.k) return;
    float* sums = memory.sums + index;
    if (k > 0) {
      for (int64_t i = 0; i < block_sums; ++i) memory.block[i] += sums[i];
    }
    if (k + cut.depth < options.k) std::copy_n(memory.block, block_sums, sums);
  }

  // The block at (m, n), as far as there are rows and columns.
  void write(const MatmulOperands& operands, const Memory& memory, int64_t m, int64_t end,
             int64_t n) const {
    const MatmulOptions& o = options;
    amx::BlockEnd last;
    if (o.bias) last.bias = static_cast<const float*>(operands.bias) + n;
    if (o.relu) last.least = 0;
    amx::write_block(memory.block, std::min(block_edge, end - m), std::min(block_edge, o.n - n),
                     last, static_cast<float*>(operands.c) + m * o.c.row_stride + n,
                     o.c.row_stride);
  }

  const SplitCut cut;
  const int slots;
  const std::unique_ptr<Matmul::Implementation> in_f32;
};

bool lies_in_rows_or_columns(const MatrixLayout& layout) {
  return layout.row_stride == 1 || layout.column_stride == 1;
}

}  // namespace

bool amx_splits(const MatmulOptions& o) {
  // Below these, packing is most of the work.
  constexpr int64_t least_side = 96, least_work = int64_t{1} << 24;
  return amx::is_available() && o.splits && o.dtype == DType::f32 && o.batch == 1 && !o.by_rows &&
         !o.accumulate && o.c.column_stride == 1 && lies_in_rows_or_columns(o.a) &&
         lies_in_rows_or_columns(o.b) && std::min({o.m, o.n, o.k}) >= least_side &&
         o.m * o.n * o.k >= least_work;
}

std::unique_ptr<Matmul::Implementation> make_split_matmul(
    const MatmulOptions& options, int threads, std::unique_ptr<Matmul::Implementation> in_f32) {
  return std::make_unique<SplitMatmul>(options, threads, std::move(in_f32));
}

}  // namespace kernels
}  // namespace systolic::inline v0
