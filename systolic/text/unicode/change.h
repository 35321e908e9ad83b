// How a normalizer says what became of a text's characters.
#pragma once

#include <cstdint>
#include <vector>

namespace systolic::inline v0 {
namespace text {

// A character of the new text. change == 0: it takes the place of the next old character. change >
// 0: it is new, and belongs to the old character before. change < 0: as 0, and so many more old
// characters go with the one that it replaces.
struct Change {
  char32_t character;
  int64_t change;
};
using Changes = std::vector<Change>;

}  // namespace text
}  // namespace systolic::inline v0
