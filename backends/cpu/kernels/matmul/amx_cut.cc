#include "backends/cpu/kernels/matmul/amx_cut.h"

#include <algorithm>

namespace systolic::inline v0 {
namespace kernels {
namespace {

using amx::block_edge;

// How much of k is done at once where it is longer than k_block.
constexpr int64_t k_block_of_many = 1024;
// A task has at least so many rows (or columns): each packs what it reads of the other operand.
constexpr int64_t least_side = 1024;
// Rows of a that are packed at once where they do not lie along k: of what is read, long runs lie
// next to each other.
constexpr int64_t rows_of_group = 256;
// The same where they are read in place: a panel of b then serves four of a from a near cache.
constexpr int64_t rows_in_place = 128;
// For a product by rows.
constexpr int64_t rows_to_consume = 64;
// bf16 of an operand that is packed for all tasks. A smaller one is packed as soon by each.
constexpr int64_t least_shared = 256 * 1024;
constexpr int64_t most_shared = 2 * 1024 * 1024;
// k is cut where each part has at least so many steps, and the partial results are this small.
constexpr int64_t least_part = 16 * 1024;
constexpr int64_t most_partial = 256 * 1024;

// Where both operands are packed, as for a gradient of weights: so many rows and columns of the
// result a task, and so much of k at once. What is packed and the sums then lie in a second-level
// cache, and what a thread packs it multiplies at once.
constexpr int64_t packed_side = 384;
constexpr int64_t packed_chunk = 256;

// `size` in equal pieces of whole blocks, none larger than `most`: their size.
int64_t even_piece(int64_t size, int64_t most) {
  return round_up_to(divided(size, divided(size, most)), block_edge);
}

bool reads_rows_in_place(const MatmulOptions& o) {
  return o.a.column_stride == 1 && o.k % amx::step_depth == 0 && o.a.row_stride % 2048 != 0;
}

}  // namespace

// Equal tiles of the result; where there is but one, the threads share k.
void AmxCut::cut_packed(const MatmulOptions& o, int threads) {
  task_m = even_piece(o.m, packed_side);
  task_n = even_piece(o.n, packed_side);
  if (task_m >= o.m && task_n >= o.n) {
    parts = std::clamp<int64_t>(o.k / packed_chunk, 1, threads);
  }
  part_k = round_up_to(divided(o.k, parts), amx::step_depth);
  parts = divided(o.k, part_k);
  chunk = std::min(part_k, packed_chunk);
  chunks = divided(part_k, chunk);
  m_tasks = divided(o.m, task_m), n_tasks = divided(o.n, task_n);
  tasks = m_tasks * n_tasks * parts;
  columns = task_n;
  group = std::min(task_m, rows_of_group);
  in_place = packs_all = shares_left = shares_right = false;
}

AmxCut::AmxCut(const MatmulOptions& o, int threads) : task_m(o.m), task_n(o.n) {
  if (o.batch == 1 && !o.by_rows && o.k > packed_chunk && o.a.row_stride == 1 &&
      !reads_rows_in_place(o)) {
    cut_packed(o, threads);
    return;
  }
  const bool long_k =
      o.batch == 1 && o.m * o.n <= most_partial && threads > 1 && !o.by_rows && !o.b_packed;
  if (long_k) parts = std::clamp<int64_t>(o.k / least_part, 1, threads);
  part_k = round_up_to(divided(o.k, parts), amx::step_depth);
  parts = divided(o.k, part_k);
  if (parts == 1 && o.batch < 4 * threads) {
    int64_t& side = o.by_rows || o.b_packed || o.m >= o.n ? task_m : task_n;
    const int64_t share = divided(side, threads);
    const int64_t least = o.b_packed ? rows_in_place : least_side;
    const int64_t tasks = std::clamp<int64_t>(share / least, 1, 4);
    side = round_up_to(divided(side, threads * tasks), block_edge);
  }
  chunk = part_k <= k_block ? part_k : k_block_of_many;
  chunks = divided(part_k, chunk);
  m_tasks = divided(o.m, task_m), n_tasks = divided(o.n, task_n);
  tasks = o.batch * m_tasks * n_tasks * parts;
  const bool can_share = o.batch == 1 && chunks == 1 && parts == 1;
  const auto is_shared = [&](int64_t elements) {
    return can_share && elements >= least_shared && elements <= most_shared;
  };
  shares_right = !o.b_packed && m_tasks > 1 && is_shared(o.n * o.k);
  const int64_t fitting = std::max(block_edge, most_packed / chunk / block_edge * block_edge);
  const bool at_once = parts > 1 || shares_right || o.by_rows || o.b_packed;
  columns = at_once ? task_n : std::min(task_n, fitting);
  in_place = reads_rows_in_place(o);
  shares_left = !in_place && n_tasks > 1 && is_shared(o.m * o.k);
  // Rows that are packed once serve all blocks of columns.
  packs_all = !in_place && columns < task_n && chunks == 1;
  group = packs_all ? task_m : std::min(task_m, in_place ? rows_in_place : rows_of_group);
  if (o.by_rows) group = std::min(group, rows_to_consume);
  if (o.b_packed) part_rows = o.m % block_edge == 0 ? block_edge : 1;
}

}  // namespace kernels
}  // namespace systolic::inline v0
