// f32 matrix products, and bf16 and f16 ones summed in f32, by cutting the result into tasks for
// the pool's threads.
//
// long because: compiled once for each instruction set, from one file.
#include <algorithm>

#include "backends/cpu/kernels/matmul/gemm_cut.h"
#include "backends/cpu/kernels/matmul/matmul_implementation.h"
#include "backends/cpu/kernels/scratch_cursor.h"
#include "backends/cpu/kernels/streaming.h"
#include "systolic/core/float_types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/matmul/matmul_gemm.cc"
#include "hwy/foreach_target.h"
// Highway's headers must come after foreach_target.h.
#include "backends/cpu/kernels/matmul/gemm-inl.h"
#include "backends/cpu/kernels/matmul/pack-inl.h"
#include "hwy/highway.h"

#ifndef SYSTOLIC_KERNELS_MATMUL_GEMM_ONCE_
#define SYSTOLIC_KERNELS_MATMUL_GEMM_ONCE_
namespace systolic::inline v0 {
namespace kernels {

static_assert(most_steps_by_rows <= GemmBlocks::k && most_columns_by_rows <= GemmBlocks::n);

// A rectangle of one result over a range of k.
struct GemmTask {
  const void* a;  // of the matrix, not of the rectangle
  const void* b;
  int64_t m_begin, m_end, n_begin, n_end, k_begin, k_end;
  float* c;  // element (m_begin, n_begin)
  int64_t c_row;
  bool accumulate;
  bool stream;
  const float* bias = nullptr;  // of the result's columns, to be added as c is written last
  bool finishes = false;        // relu too is applied then
  float* a_buffer;              // GemmBlocks::m x k
  float* b_buffer;              // k x (GemmBlocks::n + one panel)
  // Of the task after this one, where that is the next matrix of a batch.
  const void* next_a = nullptr;
  const void* next_b = nullptr;
  // Where given, takes each block of rows of the task's one block of n and k, which is summed at c.
  const Matmul::RowsConsumer* consume = nullptr;
  int64_t most_rows = GemmBlocks::m;  // in a block
};

}  // namespace kernels
}  // namespace systolic::inline v0
#endif

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {

GemmTileSize tile_size() { return {tile_rows, tile_columns}; }

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
    // Small operands, and those read only once or twice, are as fast in place.
    const bool once = task.n_end - task.n_begin <= 2 * tile_columns;
    if (once || o.m * o.k <= 32 * 1024) {
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
    // Read once or twice, or with rows so near to each other that the cache follows: packing would
    // cost more than it saves.
    const bool once = task.m_end - task.m_begin <= 2 * tile_rows;
    const bool near = o.b.row_stride <= 512;
    if ((once || near) && o.b.column_stride == 1) {
      return {source, tile_columns, o.b.row_stride, 0};
    }
  }
  pack_panels<static_cast<int>(tile_columns)>(source, o.b.column_stride, o.b.row_stride, columns,
                                              depth, task.b_buffer);
  return {task.b_buffer, tile_columns * depth, tile_columns, 0};
}

// The lines of a block of an operand, which are asked for bit by bit while the block before it is
// multiplied: memory works while the multipliers do.
class BlockPrefetch {
 public:
  BlockPrefetch() = default;
  // `rows` x `columns` elements of T from `block` on.
  template <class T>
  BlockPrefetch(const T* block, const MatrixLayout& layout, int64_t rows, int64_t columns,
                int64_t calls)
      : at_(reinterpret_cast<const char*>(block)) {
    const bool by_rows = layout.column_stride == 1;
    if (!by_rows && layout.row_stride != 1) return;
    runs_ = by_rows ? rows : columns;
    run_bytes_ = (by_rows ? columns : rows) * static_cast<int64_t>(sizeof(T));
    stride_ =
        (by_rows ? layout.row_stride : layout.column_stride) * static_cast<int64_t>(sizeof(T));
    const int64_t lines = runs_ * ((run_bytes_ + line_bytes - 1) / line_bytes);
    lines_per_call_ = (lines + calls - 1) / std::max<int64_t>(calls, 1);
  }

  HWY_INLINE void operator()() {
    for (int64_t i = 0; i < lines_per_call_ && runs_ > 0; ++i) {
      hwy::Prefetch(at_ + offset_);
      offset_ += line_bytes;
      if (offset_ < run_bytes_) continue;
      offset_ = 0;
      at_ += stride_;
      --runs_;
    }
  }

 private:
  static constexpr int64_t line_bytes = 64;
  const char* at_ = nullptr;
  int64_t offset_ = 0, runs_ = 0, run_bytes_ = 0, stride_ = 0, lines_per_call_ = 0;
};

// One task's walk over its blocks: n outside, then k, then m.
template <class T>
class BlockWalk {
 public:
  BlockWalk(const MatmulOptions& options, const GemmTask& task) : o(options), task(task) {
    const int64_t rows = task.m_end - task.m_begin;
    const int64_t blocks = std::max<int64_t>(1, (rows + task.most_rows - 1) / task.most_rows);
    m_block = round_up_to((rows + blocks - 1) / blocks, tile_rows);
    const int64_t steps = task.k_end - task.k_begin;
    const int64_t deep = std::max<int64_t>(1, (steps + GemmBlocks::k - 1) / GemmBlocks::k);
    k_block = std::clamp<int64_t>(round_up_to((steps + deep - 1) / deep, 16), 1, GemmBlocks::k);
    const int64_t width = task.n_end - task.n_begin;
    const int64_t wide = std::max<int64_t>(1, (width + GemmBlocks::n - 1) / GemmBlocks::n);
    n_block = std::clamp(round_up_to((width + wide - 1) / wide, tile_columns), tile_columns,
                         GemmBlocks::n);
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
    BlockPrefetch next_a = prefetch_a();
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

  // Of the block of a after this one.
  BlockPrefetch prefetch_a() const {
    int64_t next_m = m + m_block, next_k = k;
    if (next_m >= task.m_end) next_m = task.m_begin, next_k = k + k_block;
    const void* a = task.a;
    if (next_k >= task.k_end) a = task.next_a, next_k = task.k_begin;
    if (a == nullptr) return {};
    return {static_cast<const T*>(a) + next_m * o.a.row_stride + next_k * o.a.column_stride, o.a,
            std::min(m_block, task.m_end - next_m), std::min(k_block, task.k_end - next_k),
            tiles_of_block()};
  }
  BlockPrefetch prefetch_b() const {
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
  BlockPrefetch next_b;
};

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
namespace {

HWY_EXPORT(tile_size);
HWY_EXPORT(multiply_task);

struct GemmMatmul final : Matmul::Implementation {
  GemmMatmul(const MatmulOptions& options, int threads)
      : Implementation(options), threads(threads), tile(HWY_DYNAMIC_DISPATCH(tile_size)()) {
    const bool direct = options.output_dtype == DType::f32 && options.c.column_stride == 1;
    cut = options.by_rows ? rows_cut(options, tile, threads)
                          : best_cut(options, tile, threads, !direct);
    staged = !direct || cut.k > 1;
    slots = static_cast<int>(std::clamp<int64_t>(cut.tasks(options.batch), 1, threads));
    const int64_t m = std::min(GemmBlocks::m, round_up_to(options.m, tile.rows));
    const int64_t n = std::min(GemmBlocks::n, round_up_to(options.n, tile.columns));
    const int64_t k = std::min(GemmBlocks::k, std::max<int64_t>(options.k, 1));
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
      run_task(operands, task, memory + slot * (a_floats + b_floats + tile_floats), partials);
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

  // In elements.
  int64_t matrix_offset(const MatrixLayout& layout, int64_t matrix) const {
    return matrix / options.group * layout.batch_stride +
           matrix % options.group * layout.group_stride;
  }

  // All but c.
  GemmTask make_task(const MatmulOperands& operands, int64_t index, float* memory) const {
    const MatmulOptions& o = options;
    const int64_t k_part = index % cut.k, n_part = index / cut.k % cut.n,
                  m_part = index / cut.k / cut.n % cut.m;
    const int64_t matrix = index / cut.k / cut.n / cut.m;
    const int width = byte_width(o.dtype);
    const int64_t m_step = share_step(o.m, cut.m, tile.rows), k_step = share_step(o.k, cut.k, 16);
    return {.a = static_cast<const char*>(operands.a) + matrix_offset(o.a, matrix) * width,
            .b = static_cast<const char*>(operands.b) + matrix_offset(o.b, matrix) * width,
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
            .b_buffer = memory + a_floats};
  }

  void run_task(const MatmulOperands& operands, int64_t index, float* memory,
                float* partials) const {
    const MatmulOptions& o = options;
    const int64_t k_part = index % cut.k, matrix = index / cut.k / cut.n / cut.m;
    GemmTask task = make_task(operands, index, memory);
    const int64_t rows = task.m_end - task.m_begin, columns = task.n_end - task.n_begin;
    if (rows == 0 || columns == 0) return;
    if (cut.tasks(1) == 1 && matrix + 1 < o.batch) {
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
      task.c = static_cast<float*>(operands.c) + matrix_offset(o.c, matrix) +
               task.m_begin * o.c.row_stride + task.n_begin;
      task.c_row = o.c.row_stride;
      task.accumulate = o.accumulate;
      task.stream = streams(task);
      task.finishes = !o.bias || o.dtype == DType::f32;
      if (o.bias && task.finishes) task.bias = static_cast<const float*>(operands.bias);
    }
    HWY_DYNAMIC_DISPATCH(multiply_task)(o, task);
    if (cut.k > 1 || task.finishes) return;
    for (int64_t i = 0; i < rows; ++i) {
      float* row = task.c + i * task.c_row;
      finish_row(operands, row, row, 1, matrix, task.m_begin + i, task.n_begin, columns);
    }
  }

  // Is c written once, in whole lines, and then left alone?
  bool streams(const GemmTask& task) const {
    const MatmulOptions& o = options;
    const bool once = !o.accumulate && o.k <= GemmBlocks::k;
    return once && o.batch * o.m * o.n * 4 >= streamed_bytes && o.n % tile.columns == 0 &&
           has_whole_lines(task.c, task.c_row * 4);
  }

  // The sums of the slices of k, always in the same order.
  void add_partials(const MatmulOperands& operands, float* partials, ThreadPool& pool) const {
    const MatmulOptions& o = options;
    const int64_t grain = std::max<int64_t>(1, 8192 / o.n);
    pool.parallel_for(o.batch * o.m, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        float* row = partials + i * o.n;
        finish_row(operands, row, row, cut.k, i / o.m, i % o.m, 0, o.n);
      }
    });
  }

  // Adds the partial rows, then bias and relu; writes to c where the sums do not lie there already.
  void finish_row(const MatmulOperands& operands, const float* partial, float* sum, int64_t parts,
                  int64_t matrix, int64_t row, int64_t column, int64_t columns) const {
    const MatmulOptions& o = options;
    for (int64_t part = 1; part < parts; ++part) {
      const float* other = partial + part * partial_floats;
      for (int64_t j = 0; j < columns; ++j) sum[j] += other[j];
    }
    if (o.bias) add_bias(operands.bias, sum, column, columns);
    const int64_t offset =
        matrix_offset(o.c, matrix) + row * o.c.row_stride + column * o.c.column_stride;
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
    for (int64_t j = 0; j < columns; ++j) out[j * step] = static_cast<Out>(sum[j]);
  }

  const int threads;
  const GemmTileSize tile;
  GemmCut cut;
  bool staged = false;
  int slots = 1;
  // Of the scratch memory: for each slot a block of a, a block of b, and (staged) the task's sums;
  // then, where k is cut, one result for each slice.
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
