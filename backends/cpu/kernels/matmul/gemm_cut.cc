#include "backends/cpu/kernels/matmul/gemm_cut.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "backends/cpu/kernels/scratch_cursor.h"
#include "backends/cpu/kernels/streaming.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

// Work of a task in units of one multiply-add of a full-speed core: packing an element costs about
// as much as 16, reading one in place as 2, an element of a partial result that must be added later
// about 64, and handing out a task 20,000 (half a microsecond).
double cost_of(const MatmulOptions& o, const GemmCut& cut, GemmTileSize tile, int threads) {
  const auto piece = [](int64_t size, int64_t parts, int64_t step) {
    return static_cast<double>(round_up_to((size + parts - 1) / parts, step));
  };
  const double m = piece(o.m, cut.m, tile.rows), n = piece(o.n, cut.n, tile.columns),
               k = piece(o.k, cut.k, 1);
  const double read_a = reads_a_in_place(o) ? 2 : 16;
  double task = m * n * k + read_a * m * k + 16 * n * k + 20'000;
  if (cut.k > 1) task += 16 * m * n + 40'000;
  const int64_t tasks = cut.tasks(o.batch);
  const auto rounds = static_cast<double>((tasks + threads - 1) / threads);
  return rounds * task + (tasks > 1 ? 40'000 : 0);
}

// So many rows of one line each the first-level cache holds at once: rows a multiple of a line
// apart share its sets.
int64_t rows_without_clash(int64_t row_stride) {
  constexpr int64_t line = 64 / sizeof(float), sets = 64, ways = 8;
  return sets / std::gcd(std::max<int64_t>(row_stride / line, 1), sets) * ways;
}

}  // namespace

int64_t share_step(int64_t size, int64_t parts, int64_t least) {
  constexpr int64_t common = 12;  // a multiple of every target's tile_rows
  return size / parts >= 8 * common ? common : least;
}

bool reads_a_in_place(const MatmulOptions& o) {
  constexpr int64_t clash = 2048 / sizeof(float);
  return o.dtype == DType::f32 && o.a.column_stride == 1 && o.a.row_stride % clash != 0;
}

bool reads_b_in_place(const MatmulOptions& o, GemmTileSize tile) {
  constexpr int64_t near = 512;
  const bool is_near = o.dtype == DType::f32 && o.b.column_stride == 1 && o.b.row_stride <= near;
  return is_near && (!tile.is_narrow() || o.k <= rows_without_clash(o.b.row_stride));
}

bool streams_result(const MatmulOptions& o, GemmTileSize tile) {
  const bool once = !o.accumulate && o.k <= gemm_blocks(tile).most_k;
  return once && o.batch * o.m * o.n * 4 >= streamed_bytes && o.n % tile.columns == 0;
}

GemmCut best_cut(const MatmulOptions& o, GemmTileSize tile, int threads, bool small_tiles) {
  GemmCut best;
  double best_cost = INFINITY;
  const int64_t most = 4 * threads;
  const auto fits = [&](const GemmCut& cut) {
    return !small_tiles || (o.m / cut.m <= 256 && o.n / cut.n <= 256);
  };
  GemmCut cut;
  for (cut.m = 1; cut.m <= std::max<int64_t>(1, o.m / tile.rows); ++cut.m) {
    if (best_cost < INFINITY && o.batch * cut.m > most) break;
    for (cut.n = 1; cut.n <= std::max<int64_t>(1, o.n / tile.columns); ++cut.n) {
      cut.k = 1;
      if (!fits(cut)) continue;
      if (best_cost < INFINITY && cut.tasks(o.batch) > most) break;
      for (; cut.k <= std::max<int64_t>(1, o.k / gemm_blocks(tile).k); ++cut.k) {
        if (cut.k > 1 && cut.tasks(o.batch) > most) break;
        const double cost = cost_of(o, cut, tile, threads);
        if (cost < best_cost) best = cut, best_cost = cost;
      }
    }
  }
  return best;
}

GemmCut rows_cut(const MatmulOptions& o, GemmTileSize tile, int threads) {
  const int64_t most = std::clamp<int64_t>(o.m / tile.rows, 1, threads);
  const double work =
      static_cast<double>(o.m) * static_cast<double>(o.n) * (static_cast<double>(o.k) + 64);
  return {.m = work - work / static_cast<double>(most) > 200'000 ? most : 1};
}

int64_t rows_at_once(const MatmulOptions& o, GemmTileSize tile) {
  const int64_t most_floats = o.k * o.n <= 6144 ? 6144 : 32768;
  const int64_t rows = most_floats / std::max<int64_t>(o.n, 1) / tile.rows * tile.rows;
  return std::clamp(rows, tile.rows, gemm_blocks(tile).m);
}

}  // namespace kernels
}  // namespace systolic::inline v0
