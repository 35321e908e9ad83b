// Random host arrays: Philox-4x32-10 (Salmon et al. 2011) by position, on the compute pool, the
// same for any number of threads.
#pragma once

#include <cstdint>

#include "systolic/core/literal.h"

namespace systolic::inline v0 {

// In [low, high), f32.
Literal host_uniform(const Shape& shape, double low, double high, uint64_t seed);
// Box-Muller, f32.
Literal host_normal(const Shape& shape, double mean, double stddev, uint64_t seed);
// Normal, redrawn beyond two standard deviations, f32.
Literal host_truncated_normal(const Shape& shape, double mean, double stddev, uint64_t seed);

// A seed for a named use: `seed` mixed with a text.
uint64_t mixed_seed(uint64_t seed, std::string_view text);

}  // namespace systolic::inline v0
