// How large the caches of this machine's processors are.
#pragma once

#include <cstdint>

namespace systolic::inline v0 {

// Bytes of the second-level cache of one processor, as the C library tells them; 1 MiB where it
// does not know. At least 256 KiB and at most 4 MiB, whatever is claimed: a larger one is shared.
int64_t second_level_cache_bytes();

}  // namespace systolic::inline v0
