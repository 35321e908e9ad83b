// f32 products of few rows, as a language model multiplies for its next token: b is read once, in
// order and ahead of time, at the speed of memory, and what is done with it fits beside that.
//
// A transposed b, such as an embedding that is the head too: each column of the result is the dot
// products of one contiguous row of memory with the rows of a, which a near cache holds.
// A b in row-major order: a few of its rows at a time are added to the result, of which the nearest
// cache holds the task's columns. The inner kernel of larger products would jump from row to row
// with every step, or pack. Where that cache holds all columns, a task takes some of the rows
// instead, whole: half of each, and a gap, is read at a third of the speed.
#include <algorithm>
#include <limits>

#include "backends/cpu/kernels/matmul/matmul_implementation.h"
#include "backends/cpu/kernels/scratch_cursor.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/matmul/matmul_few_rows.cc"
#include "hwy/foreach_target.h"
// Highway's headers must come after foreach_target.h.
#include "backends/cpu/kernels/matmul/gemm-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {

// Most rows: with two columns of a transposed b their sums take half of the 32 or 16 registers.
inline constexpr int most_few_rows = lanes >= 16 ? 8 : 4;

int few_rows() { return most_few_rows; }

// The sums of `rows` x `columns`, a vector each: lane i has every lanes-th product from i on.
template <int rows, int columns>
struct DotProducts {
  using D = hn::ScalableTag<float>;
  hn::Vec<D> sums[rows * columns];

  DotProducts() {
    unrolled<rows * columns>([&](auto i) HWY_ATTR { sums[i] = hn::Zero(D()); });
  }

  HWY_INLINE void add(const DotProducts& others) {
    unrolled<rows * columns>([&](auto i) HWY_ATTR { sums[i] = hn::Add(sums[i], others.sums[i]); });
  }

  // One more product in each lane; load(p) gives a vector from p on.
  template <class Load>
  HWY_INLINE void add(const MatmulOptions& o, const float* a, const float* b, const Load& load) {
    hn::Vec<D> of_b[columns];
    unrolled<columns>([&](auto j) HWY_ATTR {
      hwy::Prefetch(b + (columns + j) * o.b.column_stride);
      of_b[j] = load(b + j * o.b.column_stride);
    });
    unrolled<rows>([&](auto r) HWY_ATTR {
      const auto of_a = load(a + r * o.a.row_stride);
      unrolled<columns>([&](auto j) HWY_ATTR {
        auto& sum = sums[r * columns + j];
        sum = hn::MulAdd(of_a, of_b[j], sum);
      });
    });
  }
};

inline float least_result(const MatmulOptions& o) {
  return o.relu ? 0.0F : -std::numeric_limits<float>::infinity();
}

// Columns [n, n + columns) of the result, of a transposed b.
template <int rows, int columns>
HWY_NOINLINE void multiply_columns(const MatmulOptions& o, const MatmulOperands& operands,
                                   int64_t n) {
  const hn::ScalableTag<float> d;
  const float* a = static_cast<const float*>(operands.a);
  const float* b = static_cast<const float*>(operands.b) + n * o.b.column_stride;
  const auto whole = [d](const float* from) HWY_ATTR { return hn::LoadU(d, from); };
  // Two sums of each where the registers hold them, as the next product waits for the one before.
  constexpr int sets = rows * columns * 2 <= (lanes >= 16 ? 24 : 12) ? 2 : 1;
  DotProducts<rows, columns> sums[sets];
  int64_t k = 0;
  for (; k + sets * lanes <= o.k; k += sets * lanes) {
    unrolled<sets>([&](auto set) HWY_ATTR {
      sums[set].add(o, a + k + set * lanes, b + k + set * lanes, whole);
    });
  }
  if (sets == 2 && k + lanes <= o.k) {
    sums[0].add(o, a + k, b + k, whole);
    k += lanes;
  }
  if (k < o.k) {
    const auto part = hn::FirstN(d, static_cast<size_t>(o.k - k));
    sums[sets - 1].add(o, a + k, b + k, [d, part](const float* from) HWY_ATTR {
      return hn::MaskedLoad(part, d, from);
    });
  }
  if constexpr (sets == 2) sums[0].add(sums[1]);
  const float least = least_result(o);
  float* c = static_cast<float*>(operands.c) + n * o.c.column_stride;
  unrolled<rows * columns>([&](auto i) HWY_ATTR {
    constexpr int row = i / columns, column = i % columns;
    float& out = c[row * o.c.row_stride + column * o.c.column_stride];
    float sum = hn::GetLane(hn::SumOfLanes(d, sums[0].sums[i]));
    if (o.bias) sum += static_cast<const float*>(operands.bias)[n + column];
    if (o.accumulate) sum += out;
    out = sum < least ? least : sum;  // a NaN stays
  });
}

// Steps [k, k + steps) added to `count` columns of the result from n on, a vector of them or less.
// a[r * steps + step] is theirs of a.
template <int rows, int steps>
HWY_INLINE void add_steps(const MatmulOptions& o, const MatmulOperands& operands, const float* a,
                          int64_t k, int64_t n, int64_t count) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  const float* b = static_cast<const float*>(operands.b) + k * o.b.row_stride + n;
  float* c = static_cast<float*>(operands.c) + n;
  const bool all = count >= lanes;
  const auto part = hn::FirstN(d, static_cast<size_t>(std::min(count, lanes)));
  const auto load = [&](const float* from) HWY_ATTR {
    return HWY_LIKELY(all) ? hn::LoadU(d, from) : hn::MaskedLoad(part, d, from);
  };
  V sums[rows];
  const bool from_zero = k == 0 && !o.accumulate;
  unrolled<rows>(
      [&](auto r) HWY_ATTR { sums[r] = from_zero ? hn::Zero(d) : load(c + r * o.c.row_stride); });
  unrolled<steps>([&](auto step) HWY_ATTR {
    __builtin_prefetch(b + (steps + step) * o.b.row_stride, 0, 2);
    const V of_b = load(b + step * o.b.row_stride);
    unrolled<rows>([&](auto r) HWY_ATTR {
      sums[r] = hn::MulAdd(hn::Set(d, a[r * steps + step]), of_b, sums[r]);
    });
  });
  if (k + steps == o.k) {
    const V least = hn::Set(d, least_result(o));
    const V bias = o.bias ? load(static_cast<const float*>(operands.bias) + n) : hn::Zero(d);
    unrolled<rows>([&](auto r) HWY_ATTR { sums[r] = at_least(least, hn::Add(sums[r], bias)); });
  }
  unrolled<rows>([&](auto r) HWY_ATTR {
    float* out = c + r * o.c.row_stride;
    HWY_LIKELY(all) ? hn::StoreU(sums[r], d, out) : store_masked(sums[r], part, d, out);
  });
}

// Steps [k, k + steps) added to columns [begin, end).
template <int rows, int steps>
HWY_INLINE void add_rows(const MatmulOptions& o, const MatmulOperands& operands, int64_t k,
                         int64_t begin, int64_t end) {
  const float* a = static_cast<const float*>(operands.a) + k * o.a.column_stride;
  float near[rows * steps];  // side by side: of an a with any strides each has an address
  for (int r = 0; r < rows; ++r) {
    for (int step = 0; step < steps; ++step) {
      near[r * steps + step] = a[r * o.a.row_stride + step * o.a.column_stride];
    }
  }
  for (int64_t n = begin; n < end; n += lanes) {
    add_steps<rows, steps>(o, operands, near, k, n, end - n);
  }
}

// Columns [begin, end) of the result, of a b in row-major order.
template <int rows>
void add_all_rows(const MatmulOptions& o, const MatmulOperands& operands, int64_t begin,
                  int64_t end) {
  constexpr int steps = 8;
  int64_t k = 0;
  for (; k + steps <= o.k; k += steps) add_rows<rows, steps>(o, operands, k, begin, end);
  for (; k < o.k; ++k) add_rows<rows, 1>(o, operands, k, begin, end);
}

template <int rows>
void multiply_few(const MatmulOptions& o, const MatmulOperands& operands, bool transposed,
                  int64_t begin, int64_t end) {
  if constexpr (rows > 0) {
    if (o.m < rows) return multiply_few<rows - 1>(o, operands, transposed, begin, end);
    if (!transposed) return add_all_rows<rows>(o, operands, begin, end);
    for (; begin + 2 <= end; begin += 2) multiply_columns<rows, 2>(o, operands, begin);
    if (begin < end) multiply_columns<rows, 1>(o, operands, begin);
  }
}

// Columns [begin, end) of a product of at most few_rows() rows.
void multiply_few_rows(const MatmulOptions& o, const MatmulOperands& operands, bool transposed,
                       int64_t begin, int64_t end) {
  multiply_few<most_few_rows>(o, operands, transposed, begin, end);
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systolic::inline v0 {
namespace kernels {

HWY_EXPORT(few_rows);
HWY_EXPORT(multiply_few_rows);

namespace {

constexpr int64_t widest = 16;  // lanes

// As many columns of c as half of a first-level cache of 48 KiB holds.
int64_t most_columns(const MatmulOptions& o) {
  constexpr int64_t near_floats = 6 * 1024;
  return std::max(near_floats / o.m, widest);
}

// Columns of one task, a multiple of 16: equally many for each of the threads, and of b as much as
// pays for handing it out.
int64_t columns_at_once(const MatmulOptions& o, int threads) {
  constexpr int64_t task_floats = 16 * 1024;
  const int64_t most = most_columns(o);
  const int64_t rounds = (o.n + most * threads - 1) / (most * threads);
  const int64_t equal = (o.n + rounds * threads - 1) / (rounds * threads);
  return round_up_to(std::max(equal, task_floats / o.k), widest);
}

struct FewRowsMatmul final : Matmul::Implementation {
  FewRowsMatmul(const MatmulOptions& options, bool transposed, int threads)
      : Implementation(options),
        transposed(transposed),
        columns(columns_at_once(options, threads)) {}

  size_t scratch_bytes() const override { return 0; }

  void run(const MatmulOperands& operands, void*, ThreadPool& pool) const override {
    const int64_t tasks = (options.n + columns - 1) / columns;
    pool.parallel_tasks(tasks, pool.threads(), [&](int64_t task, int) {
      HWY_DYNAMIC_DISPATCH(multiply_few_rows)
      (options, operands, transposed, task * columns, std::min((task + 1) * columns, options.n));
    });
  }

  bool transposed;
  int64_t columns;  // of a task
};

// The rows of b in parts, each with sums of its own, which are added in the end: in one order,
// whoever made them.
struct FewRowsInParts final : Matmul::Implementation {
  explicit FewRowsInParts(const MatmulOptions& options)
      : Implementation(options),
        parts(parts_of(options)),
        rows(round_up_to((options.k + parts - 1) / parts, whole_steps)),
        part_options(options) {
    part_options.c = row_major(options.m, options.n);
    part_options.bias = part_options.relu = part_options.accumulate = false;
  }

  // Whether it is worth while, of a b in row-major order.
  static bool takes(const MatmulOptions& o) {
    return o.n <= most_columns(o) && o.k >= 2 * least_rows;
  }

  size_t scratch_bytes() const override {
    return sizeof(float) * static_cast<size_t>(parts * options.m * options.n);
  }

  void run(const MatmulOperands& operands, void* scratch, ThreadPool& pool) const override {
    float* sums = static_cast<float*>(scratch);
    pool.parallel_tasks(parts, pool.threads(), [&](int64_t part, int) {
      const int64_t begin = part * rows, count = std::min(rows, options.k - begin);
      MatmulOptions own = part_options;
      own.k = count;  // some in each: there are least_rows for each but for the rounding
      MatmulOperands at = operands;
      at.a = static_cast<const float*>(operands.a) + begin * options.a.column_stride;
      at.b = static_cast<const float*>(operands.b) + begin * options.b.row_stride;
      at.c = sums + part * options.m * options.n;
      HWY_DYNAMIC_DISPATCH(multiply_few_rows)(own, at, false, 0, options.n);
    });
    for (int64_t row = 0; row < options.m; ++row) add_up(operands, sums + row * options.n, row);
  }

 private:
  static constexpr int64_t least_rows = 128, most_parts = 8, whole_steps = 8;

  static int64_t parts_of(const MatmulOptions& o) {
    int64_t parts = 2;
    while (parts < most_parts && o.k >= 2 * parts * least_rows) parts *= 2;
    return parts;
  }

  // A row of the result, of the parts' rows, the first of which is at `sums`.
  void add_up(const MatmulOperands& operands, float* sums, int64_t row) const {
    for (int64_t part = 1; part < parts; ++part) {
      const float* more = sums + part * options.m * options.n;
      for (int64_t n = 0; n < options.n; ++n) sums[n] += more[n];
    }
    float* out = static_cast<float*>(operands.c) + row * options.c.row_stride;
    const float* bias = options.bias ? static_cast<const float*>(operands.bias) : nullptr;
    for (int64_t n = 0; n < options.n; ++n) {
      float sum = sums[n];
      if (bias != nullptr) sum += bias[n];
      if (options.accumulate) sum += out[n];
      out[n] = options.relu && sum < 0 ? 0 : sum;  // a NaN stays
    }
  }

  int64_t parts, rows;
  MatmulOptions part_options;
};

// Dot products, whose lanes are summed at the end of at least so many steps.
bool takes_transposed(const MatmulOptions& o) {
  constexpr int64_t least_k = 64;
  return o.a.column_stride == 1 && o.b.row_stride == 1 && o.k >= least_k;
}

// Where b lies in a near cache, or rows are short, tiles are faster; and each sum is one chain of
// k additions, which rounds worse the longer it is.
bool takes_rows(const MatmulOptions& o) {
  constexpr int64_t far_floats = 512 * 1024, least_n = 256, least_k = 64, most_k = 16 * 1024;
  return o.b.column_stride == 1 && o.c.column_stride == 1 && o.n * o.k >= far_floats &&
         o.n >= least_n && o.k >= least_k && o.k <= most_k;
}

}  // namespace

std::unique_ptr<Matmul::Implementation> make_few_rows_matmul(const MatmulOptions& o, int threads) {
  const bool plain = o.dtype == DType::f32 && o.batch == 1 && !o.by_rows;
  if (!plain || o.n < 1 || o.m < 1 || o.m > HWY_DYNAMIC_DISPATCH(few_rows)()) return nullptr;
  const bool transposed = takes_transposed(o);
  if (!transposed && !takes_rows(o)) return nullptr;
  if (!transposed && FewRowsInParts::takes(o)) return std::make_unique<FewRowsInParts>(o);
  return std::make_unique<FewRowsMatmul>(o, transposed, threads);
}

}  // namespace kernels
}  // namespace systolic::inline v0
#endif  // HWY_ONCE
