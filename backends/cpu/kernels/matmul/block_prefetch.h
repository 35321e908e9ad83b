// Asks for the next block of an operand while the block before it is multiplied. Internal to
// matmul.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/cpu/kernels/matmul/matmul.h"

namespace systolic::inline v0 {
namespace kernels {

// Into which cache lines come: the nearest, or the second.
enum class NearCache { first, second };

// The lines of a block, a few a call: memory works while the multipliers do.
template <NearCache cache>
class BlockPrefetch {
 public:
  BlockPrefetch() = default;
  // `rows` x `columns` elements of T from `block` on, in so many calls. Nothing where neither rows
  // nor columns lie side by side.
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

  void operator()() {
    for (int64_t i = 0; i < lines_per_call_ && runs_ > 0; ++i) {
      __builtin_prefetch(at_ + offset_, /*write=*/0, cache == NearCache::first ? 3 : 2);
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

}  // namespace kernels
}  // namespace systolic::inline v0
