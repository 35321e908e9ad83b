// Bounds on what files and calls may ask for. Internal to text.
#pragma once

#include <cstdint>

namespace systolic::inline v0 {
namespace text {

// A text's bytes: a longer one would not fit any model.
inline constexpr int64_t most_tokens = int64_t{1} << 24;
// A tokenizer.json's bytes, or those of a vocabulary next to other files: the largest known have
// some 30 MB.
inline constexpr uint64_t most_vocabulary_bytes = uint64_t{1} << 30;

}  // namespace text
}  // namespace systolic::inline v0
