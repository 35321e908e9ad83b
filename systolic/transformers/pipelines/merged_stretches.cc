#include "systolic/transformers/pipelines/merged_stretches.h"

#include <algorithm>
#include <cstddef>

namespace systolic::inline v0 {
namespace {

// Places [begin, end) of the two.
struct Overlap {
  size_t left_begin = 0, left_end = 0, right_begin = 0, right_end = 0;
};

// Tokens that are the same in both, and that the left one does not time later.
int64_t count_matches(const TimedTokens& left, const TimedTokens& right, const Overlap& at) {
  int64_t count = 0;
  for (size_t i = 0; i < at.left_end - at.left_begin; ++i) {
    const size_t a = at.left_begin + i, b = at.right_begin + i;
    if (left.ids[a] != right.ids[b]) continue;
    count += left.times.empty() || left.times[a] <= right.times[b] ? 1 : 0;
  }
  return count;
}

Overlap best_overlap(const TimedTokens& left, const TimedTokens& right) {
  const size_t n = left.ids.size(), m = right.ids.size();
  Overlap best{.left_begin = n, .left_end = n};
  double most = 0;
  for (size_t i = 1; i < n + m; ++i) {
    const Overlap at{.left_begin = n - std::min(n, i),
                     .left_end = std::min(n, n + m - i),
                     .right_begin = i - std::min(n, i),
                     .right_end = std::min(m, i)};
    const int64_t matches = count_matches(left, right, at);
    // Among equally good ones the longer is better.
    const double share =
        static_cast<double>(matches) / static_cast<double>(i) + static_cast<double>(i) / 10000;
    if (matches <= 1 || share <= most) continue;
    most = share;
    best = at;
  }
  return best;
}

void append_part(TimedTokens& to, const TimedTokens& from, size_t begin, size_t end) {
  const auto copy = [&](auto& target, const auto& source) {
    if (source.empty()) return;
    target.insert(target.end(), source.begin() + static_cast<std::ptrdiff_t>(begin),
                  source.begin() + static_cast<std::ptrdiff_t>(end));
  };
  copy(to.ids, from.ids);
  copy(to.times, from.times);
}

}  // namespace

TimedTokens merged_stretches(const std::vector<TimedTokens>& stretches) {
  TimedTokens total;
  if (stretches.empty()) return total;
  TimedTokens left = stretches.front();
  for (size_t i = 1; i < stretches.size(); ++i) {
    const TimedTokens& right = stretches[i];
    const Overlap at = best_overlap(left, right);
    append_part(total, left, 0, (at.left_begin + at.left_end) / 2);
    TimedTokens rest;
    append_part(rest, right, (at.right_begin + at.right_end) / 2, right.ids.size());
    left = std::move(rest);
  }
  append_part(total, left, 0, left.ids.size());
  return total;
}

}  // namespace systolic::inline v0
