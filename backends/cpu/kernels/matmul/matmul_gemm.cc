// f32 matrix products, and bf16 and f16 ones summed in f32, by cutting the result into tasks for
// the pool's threads.
#include <algorithm>

#include "backends/cpu/kernels/float_conversion.h"
#include "backends/cpu/kernels/matmul/gemm_cut.h"
#include "backends/cpu/kernels/matmul/gemm_task.h"
#include "backends/cpu/kernels/matmul/matmul_implementation.h"
#include "backends/cpu/kernels/scratch_cursor.h"
#include "backends/cpu/kernels/streaming.h"
#include "systolic/core/float_types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/matmul/matmul_gemm.cc"
#include "hwy/foreach_target.h"
// Highway's headers must come after foreach_target.h.
#include "backends/cpu/kernels/matmul/block_walk-inl.h"
#include "backends/cpu/kernels/matmul/gemm-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {

static_assert(most_steps_by_rows <= blocks.k && most_columns_by_rows <= blocks.n);

GemmTileSize tile_size() { return {tile_rows, tile_columns}; }

void multiply_task(const MatmulOptions& o, const GemmTask& task) {
  switch (o.dtype) {
    case DType::bf16:
      return BlockWalk<bfloat16>(o, task).run();
    case DType::f16:
      return BlockWalk<float16>(o, task).run();
    default:
      return BlockWalk<float>(o, task).run();
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systolic::inline v0 {
namespace kernels {

HWY_EXPORT(tile_size);
HWY_EXPORT(multiply_task);

GemmTileSize gemm_tile_size() { return HWY_DYNAMIC_DISPATCH(tile_size)(); }

namespace {

struct GemmMatmul final : Matmul::Implementation {
  GemmMatmul(const MatmulOptions& options, int threads)
      : Implementation(options),
        threads(threads),
        tile(gemm_tile_size()),
        blocks(gemm_blocks(tile)) {
    const bool direct = options.output_dtype == DType::f32 && options.c.column_stride == 1;
    cut = options.by_rows ? rows_cut(options, tile, threads)
                          : best_cut(options, tile, threads, !direct);
    staged = !direct || cut.k > 1;
    slots = static_cast<int>(std::clamp<int64_t>(cut.tasks(options.batch), 1, threads));
    const int64_t m = std::min(blocks.m, round_up_to(options.m, tile.rows));
    const int64_t n = std::min(blocks.n, round_up_to(options.n, tile.columns));
    const int64_t k = std::min(blocks.most_k, std::max<int64_t>(options.k, 1));
    a_floats = round_up_to(m * k, 16);
    b_floats = round_up_to(n * k, 16);
    if (staged && cut.k == 1) {
      const int64_t m_step = share_step(options.m, cut.m, tile.rows);
      tile_floats = round_up_to(
          (options.m / cut.m + 2 * m_step) * (options.n / cut.n + 2 * tile.columns), 16);
    }
    if (options.by_rows) tile_floats = round_up_to(rows_at_once(options, tile) * options.n, 16);
    if (cut.k > 1) partial_floats = round_up_to(options.batch * options.m * options.n, 16);
  }

  size_t scratch_bytes() const override {
    return sizeof(float) * static_cast<size_t>(slots * (a_floats + b_floats + tile_floats) +
                                               cut.k * partial_floats);
  }

  void run(const MatmulOperands& operands, void* scratch, ThreadPool& pool) const override {
    const int64_t tasks = cut.tasks(options.batch);
    if (tasks == 0 || options.m == 0 || options.n == 0) return;
    auto* memory = static_cast<float*>(scratch);
    float* partials = memory + slots * (a_floats + b_floats + tile_floats);
    pool.parallel_tasks(tasks, slots, [&](int64_t task, int slot) {
      run_task(operands, task, options.batch, memory + slot * (a_floats + b_floats + tile_floats),
               partials);
    });
    if (cut.k > 1) add_partials(operands, partials, pool);
  }

  void run_rows(const MatmulOperands& operands, void* scratch, ThreadPool& pool,
                Matmul::RowsConsumer consume) const override {
    if (options.m == 0 || options.n == 0) return;
    auto* memory = static_cast<float*>(scratch);
    pool.parallel_tasks(cut.m, slots, [&](int64_t index, int slot) {
      GemmTask task =
          make_task(operands, index, memory + slot * (a_floats + b_floats + tile_floats));
      task.c = task.b_buffer + b_floats;
      task.c_row = options.n;
      task.consume = &consume;
      task.most_rows = rows_at_once(options, tile);
      HWY_DYNAMIC_DISPATCH(multiply_task)(options, task);
    });
  }

  // Every thread has a slot then.
  int64_t parts() const override {
    return cut.tasks(1) == 1 && options.batch >= threads ? options.batch : 0;
  }
  size_t part_scratch_bytes() const override {
    return scratch_bytes() / static_cast<size_t>(slots);
  }

  void run_parts(const MatmulOperands& operands, int64_t begin, int64_t end,
                 void* scratch) const override {
    if (options.m == 0 || options.n == 0) return;
    for (int64_t matrix = begin; matrix < end; ++matrix) {
      run_task(operands, matrix, end, static_cast<float*>(scratch), nullptr);
    }
  }

  // All but c.
  GemmTask make_task(const MatmulOperands& operands, int64_t index, float* memory) const {
    const MatmulOptions& o = options;
    const int64_t k_part = index % cut.k, n_part = index / cut.k % cut.n,
                  m_part = index / cut.k / cut.n % cut.m;
    const int64_t matrix = index / cut.k / cut.n / cut.m;
    const int width = byte_width(o.dtype);
    const int64_t m_step = share_step(o.m, cut.m, tile.rows), k_step = share_step(o.k, cut.k, 16);
    return {.a = static_cast<const char*>(operands.a) + matrix_offset(o, o.a, matrix) * width,
            .b = static_cast<const char*>(operands.b) + matrix_offset(o, o.b, matrix) * width,
            .m_begin = part_begin(o.m, cut.m, m_part, m_step),
            .m_end = part_begin(o.m, cut.m, m_part + 1, m_step),
            .n_begin = part_begin(o.n, cut.n, n_part, tile.columns),
            .n_end = part_begin(o.n, cut.n, n_part + 1, tile.columns),
            .k_begin = part_begin(o.k, cut.k, k_part, k_step),
            .k_end = part_begin(o.k, cut.k, k_part + 1, k_step),
            .c = nullptr,
            .c_row = 0,
            .accumulate = false,
            .stream = false,
            .a_buffer = memory,
            .b_buffer = memory + a_floats,
            .most_rows = blocks.m};
  }

  // No matrix from `end` on is asked for.
  void run_task(const MatmulOperands& operands, int64_t index, int64_t end, float* memory,
                float* partials) const {
    const MatmulOptions& o = options;
    const int64_t k_part = index % cut.k, matrix = index / cut.k / cut.n / cut.m;
    GemmTask task = make_task(operands, index, memory);
    const int64_t rows = task.m_end - task.m_begin, columns = task.n_end - task.n_begin;
    if (rows == 0 || columns == 0) return;
    if (cut.tasks(1) == 1 && matrix + 1 < end) {
      const GemmTask next = make_task(operands, index + 1, memory);
      task.next_a = next.a;
      task.next_b = next.b;
    }
    if (cut.k > 1) {
      task.c =
          partials + k_part * partial_floats + (matrix * o.m + task.m_begin) * o.n + task.n_begin;
      task.c_row = o.n;
    } else if (staged) {
      task.c = memory + a_floats + b_floats;
      task.c_row = columns;
    } else {
      task.c = static_cast<float*>(operands.c) + matrix_offset(o, o.c, matrix) +
               task.m_begin * o.c.row_stride + task.n_begin;
      task.c_row = o.c.row_stride;
      task.accumulate = o.accumulate;
      task.stream = streams(task);
      task.finishes = !o.bias || o.dtype == DType::f32;
      if (o.bias && task.finishes) task.bias = static_cast<const float*>(operands.bias);
    }
    HWY_DYNAMIC_DISPATCH(multiply_task)(o, task);
    if (cut.k > 1 || task.finishes) return;
    const int64_t c_begin = matrix_offset(o, o.c, matrix);
    for (int64_t i = 0; i < rows; ++i) {
      float* row = task.c + i * task.c_row;
      finish_row(operands, row, row, 1, c_begin + (task.m_begin + i) * o.c.row_stride, task.n_begin,
                 columns);
    }
  }

  bool streams(const GemmTask& task) const {
    return streams_result(options, tile) && has_whole_lines(task.c, task.c_row * 4);
  }

  // The sums of the slices of k, always in the same order.
  void add_partials(const MatmulOperands& operands, float* partials, ThreadPool& pool) const {
    const MatmulOptions& o = options;
    const int64_t grain = std::max<int64_t>(1, 8192 / o.n);
    pool.parallel_for(o.batch * o.m, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        float* row = partials + i * o.n;
        const int64_t c_row = matrix_offset(o, o.c, i / o.m) + i % o.m * o.c.row_stride;
        finish_row(operands, row, row, cut.k, c_row, 0, o.n);
      }
    });
  }

  // Adds the partial rows, then bias and relu; writes to c, whose row begins at c_row, where the
  // sums do not lie there already.
  void finish_row(const MatmulOperands& operands, const float* partial, float* sum, int64_t parts,
                  int64_t c_row, int64_t column, int64_t columns) const {
    const MatmulOptions& o = options;
    for (int64_t part = 1; part < parts; ++part) {
      const float* other = partial + part * partial_floats;
      for (int64_t j = 0; j < columns; ++j) sum[j] += other[j];
    }
    if (o.bias) add_bias(operands.bias, sum, column, columns);
    const int64_t offset = c_row + column * o.c.column_stride;
    if (staged) {
      switch (o.output_dtype) {
        case DType::bf16:
          return write_row(static_cast<bfloat16*>(operands.c) + offset, sum, columns);
        case DType::f16:
          return write_row(static_cast<float16*>(operands.c) + offset, sum, columns);
        default:
          return write_row(static_cast<float*>(operands.c) + offset, sum, columns);
      }
    }
    if (o.relu) {
      for (int64_t j = 0; j < columns; ++j) sum[j] = sum[j] < 0 ? 0 : sum[j];
    }
  }

  void add_bias(const void* bias, float* sum, int64_t column, int64_t columns) const {
    const auto add = [&](const auto* values) {
      for (int64_t j = 0; j < columns; ++j) sum[j] += static_cast<float>(values[column + j]);
    };
    switch (options.dtype) {
      case DType::bf16:
        return add(static_cast<const bfloat16*>(bias));
      case DType::f16:
        return add(static_cast<const float16*>(bias));
      default:
        return add(static_cast<const float*>(bias));
    }
  }

  template <class Out>
  void write_row(Out* out, float* sum, int64_t columns) const {
    const int64_t step = options.c.column_stride;
    if (options.accumulate) {
      for (int64_t j = 0; j < columns; ++j) sum[j] += static_cast<float>(out[j * step]);
    }
    if (options.relu) {
      for (int64_t j = 0; j < columns; ++j) sum[j] = sum[j] < 0 ? 0 : sum[j];
    }
    if (step == 1) return narrow_floats(options.output_dtype, sum, out, columns);
    for (int64_t j = 0; j < columns; ++j) out[j * step] = static_cast<Out>(sum[j]);
  }

  const int threads;
  const GemmTileSize tile;
  const GemmBlocks blocks;
  GemmCut cut;
  bool staged = false;
  int slots = 1;
  // Parts of the scratch memory: for each slot a block of a, a block of b, and (staged) the task's
  // sums; then, where k is cut, one result for each slice.
  int64_t a_floats = 0, b_floats = 0, tile_floats = 0, partial_floats = 0;
};

}  // namespace

std::unique_ptr<Matmul::Implementation> make_gemm_matmul(const MatmulOptions& options,
                                                         int threads) {
  return std::make_unique<GemmMatmul>(options, threads);
}

}  // namespace kernels
}  // namespace systolic::inline v0
#endif  // HWY_ONCE
