// Names in a config.json's `layer_types` (transformers 5: configuration_utils.py).
#pragma once

namespace systolic::inline v0 {
namespace layer_types {

inline constexpr const char* full_attention = "full_attention";        // each token sees all
inline constexpr const char* sliding_attention = "sliding_attention";  // those within a window

}  // namespace layer_types
}  // namespace systolic::inline v0
