#include "systolic/text/pieces/pieces.h"

#include <algorithm>

namespace systolic::inline v0 {
namespace text {
namespace {

// Joins a match to the piece before it, unless that piece ends with a match already.
std::vector<Range> merge_with_previous(const std::vector<Part>& parts) {
  std::vector<Range> ranges;
  bool after_match = false;
  for (const auto& [range, matches] : parts) {
    if (matches && !after_match && !ranges.empty()) {
      ranges.back().end = range.end;
    } else {
      ranges.push_back(range);
    }
    after_match = matches;
  }
  return ranges;
}

std::vector<Range> merge_with_next(const std::vector<Part>& parts) {
  std::vector<Range> ranges;
  bool before_match = false;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (part->matches && !before_match && !ranges.empty()) {
      ranges.back().begin = part->range.begin;
    } else {
      ranges.push_back(part->range);
    }
    before_match = part->matches;
  }
  std::reverse(ranges.begin(), ranges.end());
  return ranges;
}

std::vector<Range> merge_equals(const std::vector<Part>& parts) {
  std::vector<Range> ranges;
  bool previous = false;
  for (const auto& [range, matches] : parts) {
    if (matches == previous && !ranges.empty()) {
      ranges.back().end = range.end;
    } else {
      ranges.push_back(range);
    }
    previous = matches;
  }
  return ranges;
}

}  // namespace

std::vector<Range> split_ranges(const std::vector<Part>& parts, SplitBehavior behavior) {
  if (behavior == SplitBehavior::merged_with_previous) return merge_with_previous(parts);
  if (behavior == SplitBehavior::merged_with_next) return merge_with_next(parts);
  if (behavior == SplitBehavior::contiguous) return merge_equals(parts);
  std::vector<Range> ranges;
  ranges.reserve(parts.size());
  for (const auto& [range, matches] : parts) {
    if (behavior == SplitBehavior::isolated || !matches) ranges.push_back(range);
  }
  return ranges;
}

std::vector<Part> parts_of_matches(const std::string& text, const std::vector<Range>& matches) {
  std::vector<Part> parts;
  uint32_t last = 0;
  for (const Range& match : matches) {
    if (last != match.begin) parts.push_back({{last, match.begin}, false});
    parts.push_back({match, true});
    last = match.end;
  }
  if (last != text.size()) parts.push_back({{last, static_cast<uint32_t>(text.size())}, false});
  return parts;
}

}  // namespace text
}  // namespace systolic::inline v0
