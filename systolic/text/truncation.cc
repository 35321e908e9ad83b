#include "systolic/text/truncation.h"

#include <algorithm>
#include <utility>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace text {
namespace {

// How many tokens of two texts stay: the longer one is cut first, then both to halves.
std::pair<size_t, size_t> shares(size_t first, size_t second, size_t length) {
  const bool swapped = first > second;
  size_t shorter = std::min(first, second);
  size_t longer = shorter > length ? shorter : std::max(shorter, length - shorter);
  if (shorter + longer > length) {
    shorter = length / 2;
    longer = shorter + length % 2;
  }
  return swapped ? std::pair(longer, shorter) : std::pair(shorter, longer);
}

}  // namespace

void truncate(Encoding& first, Encoding* second, const WholeSizes& sizes,
              const TruncationParameters& parameters, size_t special_tokens, bool keep_others) {
  const auto wanted = static_cast<size_t>(std::max<int64_t>(0, parameters.max_length));
  if (wanted < special_tokens) {
    raise<InvalidArgument>({.what = str("max_length = ", wanted, " for texts that get ",
                                        special_tokens, " special tokens"),
                            .wanted = str("at least ", special_tokens)});
  }
  const size_t length = wanted - special_tokens;
  const auto stride = static_cast<size_t>(parameters.stride);
  const auto cut = [&](Encoding& encoding, size_t to) {
    encoding.truncate(to, stride, parameters.from_left, keep_others);
  };
  if (length == 0) {
    cut(first, 0);
    if (second != nullptr) cut(*second, 0);
    return;
  }
  const size_t total = sizes.first + sizes.second;
  if (total <= length) return;
  if (parameters.strategy.kind() == TruncationChoice::longest_first) {
    if (second == nullptr) return cut(first, length);
    const auto [keep_first, keep_second] = shares(sizes.first, sizes.second, length);
    cut(first, keep_first);
    cut(*second, keep_second);
    return;
  }
  const bool only_first = parameters.strategy.kind() == TruncationChoice::only_first;
  if (!only_first && second == nullptr) {
    raise<InvalidArgument>(
        {.what = "truncation only_second for a single text", .hint = "use longest_first"});
  }
  const size_t size = only_first ? sizes.first : sizes.second;
  if (size <= total - length) {
    raise<InvalidArgument>(
        {.what = str("the ", only_first ? "first" : "second", " text has ", size,
                     " tokens, of which ", total - length, " would have to go for a max_length of ",
                     wanted, " with ", special_tokens, " special tokens"),
         .hint = "a larger max_length, or the truncation longest_first"});
  }
  cut(only_first ? first : *second, size - (total - length));
}

}  // namespace text
}  // namespace systolic::inline v0
