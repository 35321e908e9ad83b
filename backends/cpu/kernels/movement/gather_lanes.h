// Elements picked by a row of indices. Internal.
#pragma once

#include <cstdint>

namespace systolic::inline v0 {
namespace kernels {

// to[i] = from[clamp(indices[i], 0, last)]
void pick_elements(const int32_t* from, const int32_t* indices, int32_t last, int64_t count,
                   int32_t* to);

}  // namespace kernels
}  // namespace systolic::inline v0
