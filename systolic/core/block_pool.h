// Memory blocks kept for the next use: pipelines take and give back millions of small arrays a
// second, often on different threads, and large ones whose pages the system would zero anew each
// time.
#pragma once

#include <cstddef>

namespace systolic::inline v0 {

// At least `bytes` bytes aligned to 64; nullptr where the machine has no more.
void* allocate_block(size_t bytes) noexcept;
// Gives back a block that was allocated with the same `bytes`. Any thread may do so.
void free_block(void* block, size_t bytes) noexcept;

}  // namespace systolic::inline v0
