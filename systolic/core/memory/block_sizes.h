// The sizes in which blocks are kept, and in which of the two kinds of lists. Internal to the pool.
#pragma once

#include <bit>
#include <cstddef>

namespace systolic::inline v0 {
namespace blocks {

constexpr size_t alignment = 64;
// A batch of 256 pictures of 224 × 224 floats is 154 MB; if its pages were new each time, that
// would take a third of the time that decoding takes.
constexpr size_t largest_pooled = size_t{256} << 20;
// From this size on a block is mapped by itself, so that its pages can go back to the system alone:
// in malloc's arenas, one a thread, memory freed between other blocks stays.
constexpr size_t smallest_mapped = size_t{1} << 14;
// From this size on a block uses huge pages where the system has them, and its addresses are given
// back with its pages: such blocks are few.
constexpr size_t smallest_huge = size_t{4} << 20;
constexpr size_t huge_page = size_t{2} << 20;
// How many bytes may lie unused for all threads together, in small blocks and in mapped ones each,
// besides the threads' own short lists.
constexpr size_t most_idle_small_bytes = size_t{128} << 20;
constexpr size_t most_idle_mapped_bytes = largest_pooled;

// Sizes go in steps of 64 bytes up to 1024, then in four steps to each power of two, and in sixteen
// where blocks are huge: an array of a power of two bytes, as weights are, takes more than that.
constexpr size_t class_of_small(size_t bytes) {
  const size_t units = (bytes + alignment - 1) / alignment;
  if (units <= 16) return units == 0 ? 0 : units - 1;
  const auto octave = static_cast<size_t>(std::bit_width(units - 1)) - 5;  // 17 to 32 units: 0
  return 16 + 4 * octave + ((units - 1) >> (octave + 2)) - 4;
}
constexpr size_t first_huge_class = class_of_small(smallest_huge);
constexpr int huge_bits = std::bit_width(smallest_huge) - 1;
constexpr size_t class_of(size_t bytes) {
  if (bytes <= smallest_huge) return class_of_small(bytes);
  const int octave = std::bit_width(bytes - 1) - 1 - huge_bits;
  const size_t step = ((bytes - 1) >> (octave + huge_bits - 4)) - 16;
  return first_huge_class + 1 + 16 * static_cast<size_t>(octave) + step;
}
constexpr size_t size_of(size_t size_class) {
  if (size_class < 16) return (size_class + 1) * alignment;
  if (size_class <= first_huge_class) {
    const size_t octave = (size_class - 16) / 4, step = (size_class - 16) % 4;
    return ((step + 5) << (octave + 2)) * alignment;
  }
  const size_t octave = (size_class - first_huge_class - 1) / 16;
  const size_t step = (size_class - first_huge_class - 1) % 16;
  return (step + 17) << (octave + huge_bits - 4);
}
constexpr size_t class_count = class_of(largest_pooled) + 1;
static_assert(size_of(class_of(1025)) >= 1025 && size_of(class_of(4096)) == 4096 &&
              size_of(class_of(4097)) == 5120 && size_of(class_of(smallest_huge)) == smallest_huge);
static_assert(size_of(first_huge_class + 1) == smallest_huge / 16 * 17 &&
              class_of(2 * smallest_huge) == first_huge_class + 16 &&
              size_of(class_of(2 * smallest_huge + 1)) == 2 * smallest_huge / 16 * 17 &&
              size_of(class_count - 1) == largest_pooled);

constexpr size_t first_mapped_class = class_of(smallest_mapped);
static_assert(size_of(first_mapped_class) == smallest_mapped);
constexpr bool is_huge(size_t size_class) { return size_of(size_class) >= smallest_huge; }

}  // namespace blocks
}  // namespace systolic::inline v0
