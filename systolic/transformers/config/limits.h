// The largest sizes that a configuration may ask for: far above all models, so that a hostile file
// costs neither memory nor time.
#pragma once

#include <cstdint>

namespace systolic::inline v0::limits {

inline constexpr int64_t vocabulary = 1 << 24;
inline constexpr int64_t width = 1 << 17;
inline constexpr int64_t layers = 512;
inline constexpr int64_t positions = 1 << 22;
inline constexpr int64_t picture = 1 << 13;  // height and width
inline constexpr int64_t channels = 1 << 10;

}  // namespace systolic::inline v0::limits
