// How much of a text repeats itself. Internal to transformers.
#pragma once

#include <cstdint>
#include <vector>

namespace systolic::inline v0 {

// The bytes of tokens of such a vocabulary, as few for each as hold all of them, by how many zlib
// makes of them: large for texts that go round in circles.
double compression_ratio(const std::vector<int64_t>& tokens, int64_t vocabulary);

}  // namespace systolic::inline v0
