// Stores that go around the caches.
//
// An ordinary store first reads the line it writes to. For a result that no cache can hold until
// its reader comes, that read is a third of the traffic; a streaming store of whole lines avoids
// it. Code that streams must call hwy::FlushStream() before other threads may read the result.
#pragma once

#include <cstdint>

namespace systolic::inline v0 {
namespace kernels {

// Results from this size on are streamed: more than the share of a last-level cache on which one
// array of a training step can count.
inline constexpr int64_t streamed_bytes = 8 * 1024 * 1024;

// Whether rows that start at `data`, `row_bytes` apart, consist of whole lines.
inline bool has_whole_lines(const void* data, int64_t row_bytes) {
  return reinterpret_cast<uintptr_t>(data) % 64 == 0 && row_bytes % 64 == 0;
}

}  // namespace kernels
}  // namespace systolic::inline v0
