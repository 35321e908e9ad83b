// How a bf16 product is cut for the matrix unit. Internal to matmul.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/amx/amx.h"
#include "backends/cpu/kernels/matmul/matmul.h"
#include "backends/cpu/kernels/scratch_cursor.h"

namespace systolic::inline v0 {
namespace kernels {

// How a product is cut and which parts of it are packed.
struct AmxCut {
  // How much of k at once: two panels, of a and of b, are a small part of a second-level cache.
  static constexpr int64_t k_block = 2048;
  // bf16 of b that are packed at once.
  static constexpr int64_t most_packed = 384 * 1024;

  AmxCut(const MatmulOptions& options, int threads);

  // bf16 of a panel of one chunk's depth for each 32 rows or columns.
  int64_t panels(int64_t side) const { return round_up_to(side, amx::block_edge) * chunk; }
  int64_t blocks() const {
    return divided(task_m, amx::block_edge) * divided(columns, amx::block_edge);
  }

  int64_t task_m, task_n;          // the part of the result in one task
  int64_t parts = 1, part_k;       // of k; the partial results are added at the end
  int64_t chunk, chunks;           // of a part at once; how often
  int64_t columns;                 // of b that are packed at once
  int64_t group;                   // rows of a that are packed at once
  bool in_place, packs_all;        // how a is read
  bool shares_left, shares_right;  // packed once for all tasks
  int64_t part_rows = 0;           // of a product whose b comes packed, where m falls into such
  int64_t m_tasks, n_tasks, tasks;

 private:
  void cut_packed(const MatmulOptions& options, int threads);
};

}  // namespace kernels
}  // namespace systolic::inline v0
