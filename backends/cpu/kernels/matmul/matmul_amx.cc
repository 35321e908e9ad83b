// Products of bf16 by the matrix unit (amx.h), with what follows them: bias, relu, rounding.
//
// The result is cut into tasks along its longer side, or, where k is much longer, along k. A task
// packs its part of b, block of columns by block of columns, and takes 32 rows of a at a time
// through all of the block. a is read in place where its rows lie along k, else a group of rows is
// packed. Only where k is longer than k_block are sums kept in memory.
#include <algorithm>

#include "backends/cpu/kernels/amx/amx.h"
#include "backends/cpu/kernels/float_conversion.h"
#include "backends/cpu/kernels/matmul/matmul_implementation.h"
#include "backends/cpu/kernels/scratch_cursor.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

using amx::block_edge;

// Of k at once: two panels, of a and of b, are a small part of a second-level cache.
constexpr int64_t k_block = 2048;
constexpr int64_t k_block_of_many = 1024;
// bf16 of b that are packed at once.
constexpr int64_t most_packed = 384 * 1024;
// A task has at least so many rows (or columns): each packs what it reads of the other operand.
constexpr int64_t least_side = 512;
// Rows of a that are packed at once where they do not lie along k: of what is read, long runs lie
// next to each other.
constexpr int64_t rows_of_group = 256;
// k is cut where each part has at least so many steps, and the partial results are this small.
constexpr int64_t least_part = 16 * 1024;
constexpr int64_t most_partial = 256 * 1024;

constexpr int64_t block_sums = block_edge * block_edge;

int64_t floats_of(int64_t bf16s) { return (bf16s + 1) / 2; }

constexpr int64_t divided(int64_t size, int64_t by) { return (size + by - 1) / by; }

// How pack_left and pack_right can read it.
bool can_pack(const MatrixLayout& l, int64_t rows, int64_t columns) {
  return l.column_stride == 1 || l.row_stride == 1 || rows == 1 || columns == 1;
}

// How a product is cut and what is packed of it.
struct Cut {
  Cut(const MatmulOptions& o, int threads) : task_m(o.m), task_n(o.n) {
    const bool long_k = o.batch == 1 && o.m * o.n <= most_partial && threads > 1;
    if (long_k) parts = std::clamp<int64_t>(o.k / least_part, 1, threads);
    part_k = round_up_to(divided(o.k, parts), amx::step_depth);
    parts = divided(o.k, part_k);
    if (parts == 1 && o.batch < 4 * threads) {
      int64_t& side = o.m >= o.n ? task_m : task_n;
      const int64_t share = divided(side, threads);
      const int64_t tasks = std::clamp<int64_t>(share / least_side, 1, 4);
      side = round_up_to(divided(side, threads * tasks), block_edge);
    }
    chunk = part_k <= k_block ? part_k : k_block_of_many;
    chunks = divided(part_k, chunk);
    const int64_t fitting = std::max(block_edge, most_packed / chunk / block_edge * block_edge);
    columns = parts > 1 ? o.n : std::min(task_n, fitting);
    in_place = o.a.column_stride == 1 && o.k % amx::step_depth == 0 && o.a.row_stride % 2048 != 0;
    // Rows that are packed once serve all blocks of columns.
    packs_all = !in_place && columns < task_n && chunks == 1;
    group = packs_all ? task_m : std::min(task_m, in_place ? block_edge : rows_of_group);
    m_tasks = divided(o.m, task_m), n_tasks = divided(o.n, task_n);
    tasks = o.batch * m_tasks * n_tasks * parts;
  }

  int64_t blocks() const { return divided(task_m, block_edge) * divided(columns, block_edge); }

  int64_t task_m, task_n;     // the part of the result in one task
  int64_t parts = 1, part_k;  // of k; the partial results are added at the end
  int64_t chunk, chunks;      // of a part at once; how often
  int64_t columns;            // of b that are packed at once
  int64_t group;              // rows of a that are packed at once
  bool in_place, packs_all;   // how a is read
  int64_t m_tasks, n_tasks, tasks;
};

// What one thread works with.
struct Workspace {
  Workspace(const Cut& cut, bool has_bias, float* memory) {
    ScratchCursor cursor(memory);
    const auto take = [&](int64_t side) {
      const int64_t elements = round_up_to(side, block_edge) * cut.chunk;
      return reinterpret_cast<bfloat16*>(cursor.take(floats_of(elements)));
    };
    right = take(cut.columns);
    left = take(cut.group);
    sums = cursor.take((cut.chunks == 1 || cut.parts > 1 ? 1 : cut.blocks()) * block_sums);
    bias = cursor.take(has_bias ? block_edge : 0);
    floats = cursor.taken();
  }
  bfloat16 *right, *left;
  float *sums, *bias;
  int64_t floats;
};

// The walk over one task's blocks.
class AmxTask {
 public:
  // partial: where k is cut, the parts' sums, one after the other; else null.
  AmxTask(const MatmulOptions& options, const Cut& cut, const MatmulOperands& operands,
          const Workspace& work, float* partial, int64_t task)
      : o(options), cut(cut), operands(operands), work(work), partial(partial) {
    part = task % cut.parts;
    const int64_t tile = task / cut.parts;
    matrix = tile / (cut.m_tasks * cut.n_tasks);
    const int64_t rest = tile % (cut.m_tasks * cut.n_tasks);
    m_begin = rest / cut.n_tasks * cut.task_m;
    n_begin = rest % cut.n_tasks * cut.task_n;
    m_end = std::min(o.m, m_begin + cut.task_m);
    n_end = std::min(o.n, n_begin + cut.task_n);
    k_end = std::min(o.k, (part + 1) * cut.part_k);
  }

  void run() {
    for (n = n_begin; n < n_end; n += cut.columns) {
      last = std::min(n_end, n + cut.columns);
      for (k = part * cut.part_k; k < k_end; k += cut.chunk) {
        depth = std::min(cut.chunk, k_end - k);
        pack_right();
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
  // Step by step of k through all panels, so that whole rows of b are read.
  void pack_right() const {
    const auto* b = static_cast<const bfloat16*>(operands.b) + matrix * o.b.batch_stride;
    for (int64_t step = 0; step < depth; step += amx::step_depth) {
      for (int64_t j = n; j < last; j += block_edge) {
        amx::pack_right(b + (k + step) * o.b.row_stride + j * o.b.column_stride, o.b.row_stride,
                        o.b.column_stride, std::min(amx::step_depth, depth - step),
                        std::min(block_edge, last - j),
                        {.data = work.right + (j - n) * cut.chunk + step * block_edge});
      }
    }
  }

  const bfloat16* left_at(int64_t m) const {
    return static_cast<const bfloat16*>(operands.a) + matrix * o.a.batch_stride +
           m * o.a.row_stride + k * o.a.column_stride;
  }

  void pack_left(int64_t begin, int64_t end) const {
    for (int64_t step = 0; step < depth; step += amx::step_depth) {
      for (int64_t m = begin; m < end; m += block_edge) {
        amx::pack_left(left_at(m) + step * o.a.column_stride, o.a.row_stride, o.a.column_stride,
                       std::min(block_edge, end - m), std::min(amx::step_depth, depth - step),
                       work.left + (m - begin) * cut.chunk + step * block_edge);
      }
    }
  }

  // Rows [begin, begin + group) through the packed columns.
  void multiply_group(int64_t begin) const {
    const int64_t end = std::min(m_end, begin + cut.group);
    const bool whole_panels = cut.in_place && end - begin == block_edge;
    if (whole_panels) {
      return multiply_rows(begin, {.data = left_at(begin),
                                   .row = o.a.row_stride,
                                   .step = amx::step_depth,
                                   .second = amx::tile_edge * o.a.row_stride});
    }
    if (n == n_begin || !cut.packs_all) pack_left(begin, end);
    for (int64_t m = begin; m < end; m += block_edge) {
      multiply_rows(m, {.data = work.left + (m - begin) * cut.chunk});
    }
  }

  void multiply_rows(int64_t m, const amx::LeftPanel& left) const {
    const int64_t steps = divided(depth, amx::step_depth);
    const bool first = k == part * cut.part_k, ends = k + depth == k_end;
    for (int64_t j = n; j < last; j += block_edge) {
      float* sums = cut.chunks == 1 && partial == nullptr ? work.sums : block_of(m, j);
      amx::multiply(left, {.data = work.right + (j - n) * cut.chunk}, steps, m_end - m, last - j,
                    !first, sums);
      if (ends && partial == nullptr) finish(m, j, sums);
    }
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
    const int64_t first = matrix * o.c.batch_stride + m * o.c.row_stride + j * o.c.column_stride;
    if (o.output_dtype == DType::f32) {
      write(sums, rows, count, static_cast<float*>(operands.c) + first);
    } else {
      write(sums, rows, count, static_cast<bfloat16*>(operands.c) + first);
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
    if (o.c.column_stride == 1) {
      return amx::write_block(sums, rows, count, end, out, o.c.row_stride);
    }
    amx::write_block(sums, rows, count, end, sums, block_edge);
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < count; ++j) {
        out[i * o.c.row_stride + j * o.c.column_stride] = Out(sums[i * block_edge + j]);
      }
    }
  }

  const MatmulOptions& o;
  const Cut& cut;
  const MatmulOperands& operands;
  const Workspace work;
  float* partial;
  int64_t part, matrix, m_begin, m_end, n_begin, n_end, k_end;
  int64_t n = 0, last = 0, k = 0, depth = 0;  // of b, what is packed now
};

struct AmxMatmul final : Matmul::Implementation {
  AmxMatmul(const MatmulOptions& options, int threads)
      : Implementation(options),
        cut(options, threads),
        slots(static_cast<int>(std::min<int64_t>(threads, cut.tasks))),
        slot_floats(Workspace(cut, options.bias, nullptr).floats) {}

  int64_t partial_floats() const {
    return cut.parts > 1 ? cut.parts * cut.blocks() * block_sums : 0;
  }

  size_t scratch_bytes() const override {
    return sizeof(float) * static_cast<size_t>(slots * slot_floats + partial_floats());
  }

  void run(const MatmulOperands& operands, void* scratch, ThreadPool& pool) const override {
    auto* slot_memory = static_cast<float*>(scratch);
    float* partial = cut.parts > 1 ? slot_memory + slots * slot_floats : nullptr;
    const auto task_of = [&](int64_t task, int slot) {
      return AmxTask(options, cut, operands,
                     Workspace(cut, options.bias, slot_memory + slot * slot_floats), partial, task);
    };
    pool.parallel_tasks(cut.tasks, slots, [&](int64_t task, int slot) {
      const amx::TileShape shape;
      task_of(task, slot).run();
    });
    if (partial == nullptr) return;
    const int64_t across = divided(options.n, block_edge);
    pool.parallel_tasks(cut.blocks(), slots, [&](int64_t block, int slot) {
      task_of(0, slot).finish_parts(block / across * block_edge, block % across * block_edge);
    });
  }

  const Cut cut;
  const int slots;
  const int64_t slot_floats;
};

}  // namespace

std::unique_ptr<Matmul::Implementation> make_amx_matmul(const MatmulOptions& options, int threads) {
  const MatmulOptions& o = options;
  const bool can = amx::is_available() && o.dtype == DType::bf16 && !o.by_rows && o.batch >= 1 &&
                   o.m >= 1 && o.n >= 1 && o.k >= 1 && can_pack(o.a, o.m, o.k) &&
                   can_pack(o.b, o.k, o.n);
  return can ? std::make_unique<AmxMatmul>(options, threads) : nullptr;
}

}  // namespace kernels
}  // namespace systolic::inline v0
