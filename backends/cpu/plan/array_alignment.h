// Where arrays may begin.
#pragma once

#include <cstdint>

namespace systolic::inline v0 {
namespace cpu {

// In bytes: every array begins at a multiple of it.
inline constexpr int64_t array_alignment = 64;

}  // namespace cpu
}  // namespace systolic::inline v0
