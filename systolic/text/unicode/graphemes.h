// Grapheme clusters, what a reader takes for one character (Unicode Standard Annex 29, extended).
#pragma once

#include <cstddef>
#include <string_view>

namespace systolic::inline v0 {
namespace text {

// Where the cluster that begins at `begin` ends.
size_t grapheme_end(std::string_view text, size_t begin);

}  // namespace text
}  // namespace systolic::inline v0
