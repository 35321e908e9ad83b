// Bounds on what files and calls may ask for. Internal to text.
#pragma once

#include <cstdint>

namespace systolic::inline v0 {
namespace text {

// Of a text: one of more would not fit any model.
inline constexpr int64_t most_tokens = int64_t{1} << 24;
// Of a tokenizer.json, or a vocabulary beside other files: the largest known have some 30 MB.
inline constexpr uint64_t most_vocabulary_bytes = uint64_t{1} << 30;

}  // namespace text
}  // namespace systolic::inline v0
