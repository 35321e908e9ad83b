// The largest batch that fits the memory of a core, found in few compilations.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace systolic::inline v0 {
namespace plan {

struct LargestBatch {
  int64_t fits = 0;                      // the largest that was seen to fit; 0: none
  int64_t peak = 0;                      // bytes that it needs
  std::optional<int64_t> does_not = {};  // the smallest that was seen not to fit
  int compilations = 0;
  bool reached_limit = false;  // `fits` is the largest that is tried at all
  // No batch between the two could be the answer: from eight on, batches are tried in steps of
  // eight, the rows of a TPU's tile.
  bool exact() const;
};

inline constexpr int64_t largest_tried = int64_t{1} << 20;

// Bytes that a batch needs; nothing where it does not fit.
using PeakOfBatch = std::function<std::optional<int64_t>(int64_t batch)>;

// Memory is nearly a + b * batch, so two batches that fit predict where the limit is met; each
// result corrects the line. Calls `peak` at most `most` times, with `start` first. `limit` is the
// memory of a core in bytes.
LargestBatch find_largest_batch(int64_t start, int64_t limit, int most, const PeakOfBatch& peak);

}  // namespace plan
}  // namespace systolic::inline v0
