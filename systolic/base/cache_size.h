// How large the caches of this machine's processors are.
#pragma once

#include <cstdint>

namespace systolic::inline v0 {

// Bytes of one processor's second-level cache, as the C library reports them; 1 MiB where it does
// not know. Clamped to 256 KiB and 4 MiB, whatever is reported: a larger one is shared.
int64_t second_level_cache_bytes();

}  // namespace systolic::inline v0
