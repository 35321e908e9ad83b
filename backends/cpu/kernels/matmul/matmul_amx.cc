// Products of bf16 by the matrix unit (amx.h), with what follows them: bias, relu, rounding.
//
// The result is cut into tasks along its longer side, or, where k is much longer, along k. A task
// packs its part of b, block of columns by block of columns, and takes groups of rows of a through
// all of the block. a is read in place where its rows lie along k, else a group of rows is packed.
// The operand that all tasks read is packed once for all, where it is small. Only where k is longer
// than a block of it are sums kept in memory.
#include <algorithm>

#include "backends/cpu/kernels/amx/amx.h"
#include "backends/cpu/kernels/float_conversion.h"
#include "backends/cpu/kernels/matmul/amx_cut.h"
#include "backends/cpu/kernels/matmul/block_prefetch.h"
#include "backends/cpu/kernels/matmul/matmul_implementation.h"
#include "backends/cpu/kernels/scratch_cursor.h"
#include "systolic/base/cache_size.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

using amx::block_edge;

constexpr int64_t block_sums = block_edge * block_edge;
using Prefetch = BlockPrefetch<NearCache::second>;

int64_t floats_of(int64_t bf16s) { return (bf16s + 1) / 2; }

// How pack_left and pack_right can read it.
bool can_pack(const MatrixLayout& l, int64_t rows, int64_t columns) {
  return l.column_stride == 1 || l.row_stride == 1 || rows == 1 || columns == 1;
}

// What one thread works with.
struct Workspace {
  Workspace(const AmxCut& cut, const MatmulOptions& o, float* memory) {
    ScratchCursor cursor(memory);
    const auto take = [&](int64_t side) {
      return reinterpret_cast<bfloat16*>(cursor.take(floats_of(cut.panels(side))));
    };
    right = take(cut.shares_right || o.b_packed ? 0 : cut.columns);
    left = take(cut.shares_left ? 0 : cut.group);
    sums = cursor.take((cut.chunks == 1 || cut.parts > 1 ? 1 : cut.blocks()) * block_sums);
    bias = cursor.take(o.bias ? block_edge : 0);
    rows = cursor.take(o.by_rows ? cut.group * o.n : 0);
    floats = cursor.taken();
  }
  bfloat16 *right, *left;
  float *sums, *bias;
  float* rows;  // of a group, as they are consumed
  int64_t floats;
};

// Steps [begin, end) of k of a panel for each 32 rows of a, which begin at `a`. A panel is
// `panel_depth` deep. Step by step through all panels, so that long runs of a are read.
void pack_left_panels(const MatmulOptions& o, const bfloat16* a, int64_t rows, int64_t begin,
                      int64_t end, int64_t panel_depth, bfloat16* panels) {
  for (int64_t k = begin; k < end; k += amx::step_depth) {
    for (int64_t m = 0; m < rows; m += block_edge) {
      amx::pack_left(a + m * o.a.row_stride + k * o.a.column_stride, o.a.row_stride,
                     o.a.column_stride, std::min(block_edge, rows - m),
                     std::min(amx::step_depth, end - k), panels + m * panel_depth + k * block_edge);
    }
  }
}

// The same of a panel for each 32 columns of b.
template <class T>
void pack_right_panels(const MatmulOptions& o, const T* b, int64_t columns, int64_t begin,
                       int64_t end, int64_t panel_depth, bfloat16* panels) {
  for (int64_t k = begin; k < end; k += amx::step_depth) {
    for (int64_t n = 0; n < columns; n += block_edge) {
      amx::pack_right(b + k * o.b.row_stride + n * o.b.column_stride, o.b.row_stride,
                      o.b.column_stride, std::min(amx::step_depth, end - k),
                      std::min(block_edge, columns - n),
                      {.data = panels + n * panel_depth + k * block_edge});
    }
  }
}

// What all tasks read, the sums of the parts of k, one after the other, and who takes the rows;
// null where there is none.
struct Shared {
  bfloat16 *left = nullptr, *right = nullptr;
  float* partial = nullptr;
  const Matmul::RowsConsumer* consume = nullptr;
};

// The walk over one task's blocks.
class AmxTask {
 public:
  AmxTask(const MatmulOptions& options, const AmxCut& cut, const MatmulOperands& operands,
          const Workspace& work, const Shared& shared, int64_t task)
      : o(options),
        cut(cut),
        operands(operands),
        work(work),
        shared(shared),
        partial(shared.partial) {
    part = task % cut.parts;
    const int64_t tile = task / cut.parts;
    const int64_t matrix = tile / (cut.m_tasks * cut.n_tasks);
    a_begin = matrix_offset(o, o.a, matrix);
    b_begin = matrix_offset(o, o.b, matrix);
    c_begin = matrix_offset(o, o.c, matrix);
    const int64_t rest = tile % (cut.m_tasks * cut.n_tasks);
    m_begin = rest / cut.n_tasks * cut.task_m;
    n_begin = rest % cut.n_tasks * cut.task_n;
    m_end = std::min(o.m, m_begin + cut.task_m);
    n_end = std::min(o.n, n_begin + cut.task_n);
    k_end = std::min(o.k, (part + 1) * cut.part_k);
  }

  // Restricts the walk to this task's rows.
  void restrict_rows(int64_t begin, int64_t end) {
    m_begin = begin;
    m_end = std::min(end, o.m);
  }

  void run() {
    for (n = n_begin; n < n_end; n += cut.columns) {
      last = std::min(n_end, n + cut.columns);
      for (k = part * cut.part_k; k < k_end; k += cut.chunk) {
        depth = std::min(cut.chunk, k_end - k);
        if (shared.right == nullptr) pack_right();
        for (int64_t m = m_begin; m < m_end; m += cut.group) multiply_group(m);
      }
    }
  }

  // Adds the parts' sums of the block that begins at (m, n) and writes the result.
  void finish_parts(int64_t m, int64_t j) {
    n = 0;
    float* sums = block_of(m, j);
    for (int64_t other = 1; other < cut.parts; ++other) {
      const float* more = sums + other * cut.blocks() * block_sums;
      for (int64_t i = 0; i < block_sums; ++i) sums[i] += more[i];
    }
    finish(m, j, sums);
  }

 private:
  void pack_right() const {
    const auto* b = static_cast<const bfloat16*>(operands.b) + b_begin + k * o.b.row_stride +
                    n * o.b.column_stride;
    pack_right_panels(o, b, last - n, 0, depth, cut.chunk, work.right);
  }

  const bfloat16* left_at(int64_t m) const {
    return static_cast<const bfloat16*>(operands.a) + a_begin + m * o.a.row_stride +
           k * o.a.column_stride;
  }

  // The rows of a from `m` on; those of the group that begins at `begin` have been packed.
  amx::LeftPanel left_panel(int64_t begin, int64_t m) const {
    if (shared.left != nullptr) return {.data = shared.left + m * cut.chunk};
    if (!reads_in_place(m)) return {.data = work.left + (m - begin) * cut.chunk};
    return {.data = left_at(m),
            .row = o.a.row_stride,
            .step = amx::step_depth,
            .second = amx::tile_edge * o.a.row_stride};
  }
  // Not so a last panel that lacks rows.
  bool reads_in_place(int64_t m) const { return cut.in_place && m_end - m >= block_edge; }

  // Rows [begin, begin + group) through the packed columns.
  void multiply_group(int64_t begin) const {
    const int64_t end = std::min(m_end, begin + cut.group);
    const bool packed_before = shared.left != nullptr || (cut.packs_all && n > n_begin);
    if (!cut.in_place && !packed_before) {
      pack_left_panels(o, left_at(begin), end - begin, 0, depth, cut.chunk, work.left);
    } else if (cut.in_place && end % block_edge != 0) {
      const int64_t m = begin + (end - begin) / block_edge * block_edge;
      if (m < end) {
        pack_left_panels(o, left_at(m), end - m, 0, depth, cut.chunk,
                         work.left + (m - begin) * cut.chunk);
      }
    }
    Prefetch next = next_rows(end);
    for (int64_t j = n; j < last; j += block_edge) {
      for (int64_t m = begin; m < end; m += block_edge) {
        next();
        multiply_block(begin, m, j);
      }
    }
    if (shared.consume != nullptr) (*shared.consume)(begin, end, work.rows);
  }

  // For the group that begins at `m`.
  Prefetch next_rows(int64_t m) const {
    if (!cut.in_place || m >= m_end) return {};
    const int64_t calls = divided(cut.group, block_edge) * divided(last - n, block_edge);
    return {left_at(m), o.a, std::min(cut.group, m_end - m), depth, calls};
  }

  void multiply_block(int64_t group, int64_t m, int64_t j) const {
    const bool first = k == part * cut.part_k, ends = k + depth == k_end;
    const bfloat16* right =
        shared.right != nullptr ? shared.right + j * cut.chunk : work.right + (j - n) * cut.chunk;
    float* sums = cut.chunks == 1 && partial == nullptr ? work.sums : block_of(m, j);
    amx::multiply(left_panel(group, m), {.data = right}, divided(depth, amx::step_depth), m_end - m,
                  last - j, !first, sums);
    if (ends && partial == nullptr) finish(m, j, sums);
  }

  float* block_of(int64_t m, int64_t j) const {
    float* blocks = partial == nullptr ? work.sums : partial + part * cut.blocks() * block_sums;
    const int64_t index =
        (m - m_begin) / block_edge * divided(cut.columns, block_edge) + (j - n) / block_edge;
    return blocks + index * block_sums;
  }

  void finish(int64_t m, int64_t j, float* sums) const {
    const int64_t rows = std::min(block_edge, m_end - m), count = std::min(block_edge, n_end - j);
    if (o.bias) {
      widen_floats(o.dtype, static_cast<const bfloat16*>(operands.bias) + j, work.bias, count);
    }
    const int64_t first = shared.consume != nullptr
                              ? (m - m_begin) % cut.group * o.n + j
                              : c_begin + m * o.c.row_stride + j * o.c.column_stride;
    void* c = shared.consume != nullptr ? work.rows : operands.c;
    if (o.output_dtype == DType::f32) {
      write(sums, rows, count, static_cast<float*>(c) + first);
    } else {
      write(sums, rows, count, static_cast<bfloat16*>(c) + first);
    }
  }

  template <class Out>
  void write(float* sums, int64_t rows, int64_t count, Out* out) const {
    amx::BlockEnd end{.bias = o.bias ? work.bias : nullptr};
    if (o.relu) end.least = 0;
    if (o.accumulate) {
      for (int64_t i = 0; i < rows; ++i) {
        const Out* before = out + i * o.c.row_stride;
        float* row = sums + i * block_edge;
        for (int64_t j = 0; j < count; ++j) {
          row[j] += static_cast<float>(before[j * o.c.column_stride]);
        }
      }
    }
    if (shared.consume != nullptr || o.c.column_stride == 1) {
      const int64_t row = shared.consume != nullptr ? o.n : o.c.row_stride;
      return amx::write_block(sums, rows, count, end, out, row);
    }
    amx::write_block(sums, rows, count, end, sums, block_edge);
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < count; ++j) {
        out[i * o.c.row_stride + j * o.c.column_stride] = Out(sums[i * block_edge + j]);
      }
    }
  }

  const MatmulOptions& o;
  const AmxCut& cut;
  const MatmulOperands& operands;
  const Workspace work;
  const Shared shared;
  float* partial;
  int64_t a_begin, b_begin, c_begin;  // of this task's matrices, in elements
  int64_t part, m_begin, m_end, n_begin, n_end, k_end;
  int64_t n = 0, last = 0, k = 0, depth = 0;  // of b, what is packed now
};

struct AmxMatmul final : Matmul::Implementation {
  AmxMatmul(const MatmulOptions& options, int threads)
      : Implementation(options),
        cut(options, threads),
        threads(threads),
        slots(static_cast<int>(std::min<int64_t>(threads, cut.tasks))),
        slot_floats(Workspace(cut, options, nullptr).floats) {}

  // What the tasks share lies after what each thread works with.
  Shared shared(float* memory, int64_t& floats) const {
    ScratchCursor cursor(memory);
    cursor.take(slots * slot_floats);
    const auto take = [&](bool wanted, int64_t side) {
      float* place = cursor.take(wanted ? floats_of(cut.panels(side)) : 0);
      return wanted ? reinterpret_cast<bfloat16*>(place) : nullptr;
    };
    Shared result;
    result.left = take(cut.shares_left, options.m);
    result.right = take(cut.shares_right, options.n);
    if (cut.parts > 1) result.partial = cursor.take(cut.parts * cut.blocks() * block_sums);
    floats = cursor.taken();
    return result;
  }

  size_t scratch_bytes() const override {
    int64_t floats = 0;
    shared(nullptr, floats);
    return sizeof(float) * static_cast<size_t>(floats);
  }

  void run(const MatmulOperands& operands, void* scratch, ThreadPool& pool) const override {
    run(operands, scratch, pool, nullptr);
  }
  void run_rows(const MatmulOperands& operands, void* scratch, ThreadPool& pool,
                Matmul::RowsConsumer consume) const override {
    run(operands, scratch, pool, &consume);
  }

  void run(const MatmulOperands& operands, void* scratch, ThreadPool& pool,
           const Matmul::RowsConsumer* consume) const {
    auto* memory = static_cast<float*>(scratch);
    int64_t floats = 0;
    Shared common = shared(memory, floats);
    common.consume = consume;
    if (options.b_packed) common.right = packed(operands.b);
    pack_shared(operands, common, pool);
    const auto task_of = [&](int64_t task, int slot) {
      return AmxTask(options, cut, operands, Workspace(cut, options, memory + slot * slot_floats),
                     common, task);
    };
    pool.parallel_tasks(cut.tasks, slots, [&](int64_t task, int slot) {
      const amx::TileShape shape;
      task_of(task, slot).run();
    });
    if (common.partial == nullptr) return;
    const int64_t across = divided(options.n, block_edge);
    pool.parallel_tasks(cut.blocks(), slots, [&](int64_t block, int slot) {
      task_of(0, slot).finish_parts(block / across * block_edge, block % across * block_edge);
    });
  }

  static bfloat16* packed(const void* b) {
    return const_cast<bfloat16*>(static_cast<const bfloat16*>(b));  // read only
  }

  // Every thread has a slot then, and nothing is shared but a packed b.
  int64_t parts() const override {
    if (slots != threads) return 0;
    if (options.b_packed) return options.m / cut.part_rows;
    return cut.tasks == options.batch && options.batch >= 2 ? options.batch : 0;
  }
  size_t part_scratch_bytes() const override {
    return sizeof(float) * static_cast<size_t>(slot_floats);
  }

  void run_parts(const MatmulOperands& operands, int64_t begin, int64_t end,
                 void* scratch) const override {
    const amx::TileShape shape;
    const Workspace workspace(cut, options, static_cast<float*>(scratch));
    if (options.b_packed) {
      AmxTask task(options, cut, operands, workspace, {.right = packed(operands.b)}, 0);
      task.restrict_rows(begin * cut.part_rows, end * cut.part_rows);
      return task.run();
    }
    for (int64_t matrix = begin; matrix < end; ++matrix) {
      AmxTask(options, cut, operands, workspace, Shared(), matrix).run();
    }
  }

  size_t packed_bytes() const override {
    return options.b_packed ? sizeof(bfloat16) * static_cast<size_t>(cut.panels(options.n)) : 0;
  }
  int64_t pack_parts() const override {
    return options.b_packed ? divided(options.k, amx::step_depth) : 0;
  }
  void pack(const void* b, int64_t begin, int64_t end, void* to) const override {
    const auto pack_from = [&](const auto* source) {
      pack_right_panels(options, source, options.n, begin * amx::step_depth,
                        std::min(options.k, end * amx::step_depth), cut.chunk,
                        static_cast<bfloat16*>(to));
    };
    if (options.rounds_b) return pack_from(static_cast<const float*>(b));
    pack_from(static_cast<const bfloat16*>(b));
  }

  void pack_shared(const MatmulOperands& operands, const Shared& common, ThreadPool& pool) const {
    if (!cut.shares_left && !cut.shares_right) return;
    constexpr int64_t steps_at_least = 2;
    pool.parallel_for(divided(options.k, amx::step_depth), steps_at_least,
                      [&](int64_t begin, int64_t end) {
                        const int64_t first = begin * amx::step_depth,
                                      last = std::min(options.k, end * amx::step_depth);
                        if (common.left != nullptr) {
                          pack_left_panels(options, static_cast<const bfloat16*>(operands.a),
                                           options.m, first, last, cut.chunk, common.left);
                        }
                        if (cut.shares_right) {
                          pack_right_panels(options, static_cast<const bfloat16*>(operands.b),
                                            options.n, first, last, cut.chunk, common.right);
                        }
                      });
  }

  const AmxCut cut;
  const int threads;
  const int slots;
  const int64_t slot_floats;
};

}  // namespace

bool amx_gives_rows(const MatmulOptions& o) {
  return amx::is_available() && o.dtype == DType::bf16 && o.m >= 1 && o.n >= 1 && o.k >= 1 &&
         o.k <= AmxCut::k_block && o.n * o.k <= AmxCut::most_packed;
}

bool amx_takes_packed(const MatmulOptions& o) {
  constexpr int64_t least_rows = 512;
  const int64_t bytes =
      int64_t{sizeof(bfloat16)} * round_up_to(o.n, block_edge) * round_up_to(o.k, amx::step_depth);
  return amx::is_available() && o.dtype == DType::bf16 && o.m >= least_rows && o.n >= 1 &&
         o.k >= 1 && o.k <= AmxCut::k_block && can_pack(o.b, o.k, o.n) &&
         bytes <= second_level_cache_bytes() / 8 * 5;
}

std::unique_ptr<Matmul::Implementation> make_amx_matmul(const MatmulOptions& options, int threads) {
  const MatmulOptions& o = options;
  const bool can = amx::is_available() && o.dtype == DType::bf16 && o.batch >= 1 && o.m >= 1 &&
                   o.n >= 1 && o.k >= 1 && can_pack(o.a, o.m, o.k) && can_pack(o.b, o.k, o.n);
  return can ? std::make_unique<AmxMatmul>(options, threads) : nullptr;
}

}  // namespace kernels
}  // namespace systolic::inline v0
