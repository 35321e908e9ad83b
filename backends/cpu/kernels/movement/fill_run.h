// One element of 32 bits, written again and again.
#pragma once

#include <cstdint>

namespace systolic::inline v0 {
namespace kernels {

// to[i] = bits for i in [0, count): as std::fill_n, by the processor's widest vectors, where the
// library is compiled for its narrowest. For the short runs of a tile: one thread.
void fill_run_32(uint32_t bits, int64_t count, uint32_t* to);

}  // namespace kernels
}  // namespace systolic::inline v0
