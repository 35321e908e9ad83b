#include "systolic/data/transformations/length_buckets.h"

#include <algorithm>
#include <limits>
#include <map>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace data {
namespace {

// The sequences by what their length is rounded up to.
struct Candidates {
  std::vector<int64_t> lengths;  // rising
  std::vector<int64_t> before;   // sequences that are no longer than the i - 1 first of them
};

// The least padded tokens of the sequences up to each candidate, with one bucket more than before.
//
// cost(i, j) = lengths[j] * (sequences of candidates i..j) fulfils the quadrangle inequality, so
// that the best place of the last cut never moves back as j grows: halving finds them all (Aggarwal
// et al., 1987; "divide and conquer optimization").
class Layer {
 public:
  Layer(const Candidates& candidates, const std::vector<int64_t>& last)
      : candidates_(candidates),
        last_(last),
        best_(last.size(), std::numeric_limits<int64_t>::max()),
        cut_(last.size(), 0) {
    solve(1, best_.size() - 1, 0, best_.size() - 1);
    best_[0] = 0;
  }
  const std::vector<int64_t>& best() const { return best_; }
  const std::vector<size_t>& cuts() const { return cut_; }

 private:
  // For the first `begin` to `end` candidates, whose last bucket starts in [low, high].
  void solve(size_t begin, size_t end, size_t low, size_t high) {
    if (begin > end) return;
    const size_t middle = begin + (end - begin) / 2;
    for (size_t cut = low; cut <= std::min(high, middle - 1); ++cut) {
      if (last_[cut] == std::numeric_limits<int64_t>::max()) continue;
      const int64_t cost = last_[cut] + candidates_.lengths[middle - 1] *
                                            (candidates_.before[middle] - candidates_.before[cut]);
      if (cost < best_[middle]) best_[middle] = cost, cut_[middle] = cut;
    }
    solve(begin, middle - 1, low, cut_[middle]);
    solve(middle + 1, end, cut_[middle], high);
  }

  const Candidates& candidates_;
  const std::vector<int64_t>& last_;
  std::vector<int64_t> best_;
  std::vector<size_t> cut_;
};

void check(std::span<const int64_t> lengths, const LengthBucketOptions& options,
           SourceLocation location) {
  constexpr int64_t most = int64_t{1} << 30;
  if (lengths.empty())
    raise<InvalidArgument>({.what = "length_buckets of no sequences", .location = location});
  if (options.buckets < 1 || options.multiple < 1 || options.max_length < 0 ||
      options.multiple > most) {
    raise<InvalidArgument>(
        {.what = str("length_buckets with buckets = ", options.buckets,
                     ", multiple = ", options.multiple, ", max_length = ", options.max_length),
         .wanted = "1 or more buckets, a multiple of 1 or more",
         .location = location});
  }
  const auto [least, longest] = std::minmax_element(lengths.begin(), lengths.end());
  if (*least < 0 || *longest > most) {
    raise<InvalidArgument>(
        {.what = str("length_buckets of a sequence of ", *least < 0 ? *least : *longest, " tokens"),
         .wanted = str("0 to ", most),
         .location = location});
  }
}

Candidates candidates_of(std::span<const int64_t> lengths, const LengthBucketOptions& options,
                         int64_t& tokens) {
  std::map<int64_t, int64_t> counts;
  for (int64_t length : lengths) {
    if (options.max_length > 0) length = std::min(length, options.max_length);
    tokens += length;
    const int64_t multiples =
        std::max<int64_t>(1, (length + options.multiple - 1) / options.multiple);
    ++counts[multiples * options.multiple];
  }
  Candidates candidates{{}, {0}};
  for (const auto& [length, count] : counts) {
    candidates.lengths.push_back(length);
    candidates.before.push_back(candidates.before.back() + count);
  }
  return candidates;
}

}  // namespace

double padding_share(int64_t tokens, int64_t padded_tokens) {
  return padded_tokens == 0 ? 0
                            : 1 - static_cast<double>(tokens) / static_cast<double>(padded_tokens);
}

std::string padding_text(const std::vector<int64_t>& lengths, int64_t tokens,
                         int64_t padded_tokens) {
  constexpr size_t few = 12;
  const std::string all = lengths.size() <= few ? join(lengths)
                                                : str(lengths.size(), " lengths from ",
                                                      lengths.front(), " to ", lengths.back());
  return str("padded to ", all, ": ", fixed(100 * padding_share(tokens, padded_tokens), 1),
             " % of ", with_commas(padded_tokens), " tokens are padding");
}

int64_t LengthBuckets::length_for(int64_t tokens) const {
  const auto at = std::lower_bound(lengths.begin(), lengths.end(), tokens);
  return at == lengths.end() ? lengths.back() : *at;
}

std::vector<int64_t> LengthBuckets::boundaries() const {
  std::vector<int64_t> boundaries;
  for (const int64_t length : lengths) boundaries.push_back(length + 1);
  return boundaries;
}

LengthBuckets length_buckets(std::span<const int64_t> sequence_lengths,
                             const LengthBucketOptions& options, SourceLocation location) {
  check(sequence_lengths, options, location);
  LengthBuckets result;
  const Candidates candidates = candidates_of(sequence_lengths, options, result.tokens);
  const size_t count = candidates.lengths.size();
  std::vector<int64_t> best(count + 1, std::numeric_limits<int64_t>::max());
  best[0] = 0;
  std::vector<std::vector<size_t>> cuts;
  const size_t buckets = std::min(count, static_cast<size_t>(options.buckets));
  for (size_t i = 0; i < buckets; ++i) {
    const Layer layer(candidates, best);
    best = layer.best();
    cuts.push_back(layer.cuts());
  }
  result.padded_tokens = best[count];
  for (size_t at = count; at > 0; at = cuts.back()[at], cuts.pop_back())
    result.lengths.insert(result.lengths.begin(), candidates.lengths[at - 1]);
  return result;
}

std::string to_string(const LengthBuckets& buckets) {
  return padding_text(buckets.lengths, buckets.tokens, buckets.padded_tokens);
}

}  // namespace data
}  // namespace systolic::inline v0
