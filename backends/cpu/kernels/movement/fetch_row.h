// Asking early for the memory of rows that lie far apart in a table.
#pragma once

#include <algorithm>
#include <cstdint>

namespace systolic::inline v0 {
namespace kernels {

// Rows between the one that is asked for and the one that is used: as many loads as a core keeps
// under way.
inline constexpr int64_t rows_ahead = 16;

// The first lines of a row; the processor itself asks for those after them. writes: 0 or 1.
template <int writes>
inline void fetch_row(const char* row, int64_t bytes) {
  constexpr int64_t line = 64, most_lines = 4;
  for (int64_t at = 0; at < std::min(bytes, most_lines * line); at += line)
    __builtin_prefetch(row + at, writes);
}

}  // namespace kernels
}  // namespace systolic::inline v0
