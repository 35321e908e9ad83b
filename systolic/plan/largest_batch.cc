#include "systolic/plan/largest_batch.h"

#include <algorithm>
#include <map>

namespace systolic::inline v0 {
namespace plan {
namespace {

constexpr int64_t rows_of_tile = 8;
// Where memory hardly grows with the batch, a line through two points says nothing.
constexpr int64_t most_growth = 64;

int64_t rounded_down(int64_t batch) {
  return batch < rows_of_tile ? batch : batch / rows_of_tile * rows_of_tile;
}

int64_t next_above(int64_t batch) {
  return batch < rows_of_tile ? batch + 1 : rounded_down(batch) + rows_of_tile;
}

class Search {
 public:
  explicit Search(int64_t limit) : limit_(limit) {}

  void saw(int64_t batch, std::optional<int64_t> peak) {
    if (peak) {
      fits_[batch] = *peak;
    } else if (!does_not_ || batch < *does_not_) {
      does_not_ = batch;
    }
  }

  // 0: there is nothing left to try.
  int64_t next() const {
    if (fits_.empty()) return *does_not_ / 4 > 0 ? rounded_down(*does_not_ / 4) : *does_not_ / 2;
    const int64_t largest = fits_.rbegin()->first;
    const int64_t lowest = next_above(largest);
    const int64_t highest = does_not_ ? *does_not_ - 1 : largest_tried;
    if (lowest > highest) return 0;
    int64_t guess = rounded_down(std::min(where_the_line_ends(), largest_tried));
    if (does_not_ && guess >= *does_not_) guess = rounded_down((largest + *does_not_) / 2);
    return std::clamp(guess, lowest, std::max(lowest, rounded_down(highest)));
  }

  LargestBatch result() const {
    LargestBatch result{.does_not = does_not_};
    if (!fits_.empty()) {
      result.fits = fits_.rbegin()->first;
      result.peak = fits_.rbegin()->second;
    }
    result.reached_limit = result.fits >= largest_tried;
    return result;
  }

 private:
  // One point: the line through it and zero, which lies above all lines that start with something.
  int64_t where_the_line_ends() const {
    const auto last = fits_.rbegin();
    const auto [batch, peak] = *last;
    double slope = static_cast<double>(peak) / static_cast<double>(batch);
    if (fits_.size() > 1) {
      const auto before = std::next(last);
      slope =
          static_cast<double>(peak - before->second) / static_cast<double>(batch - before->first);
    }
    const double most = static_cast<double>(batch) * most_growth;
    if (slope <= 0) return static_cast<int64_t>(most);
    const double end = static_cast<double>(batch) + static_cast<double>(limit_ - peak) / slope;
    return static_cast<int64_t>(std::min(end, most));
  }

  int64_t limit_;
  std::map<int64_t, int64_t> fits_;  // batch to bytes
  std::optional<int64_t> does_not_;
};

}  // namespace

bool LargestBatch::exact() const {
  return does_not && (fits == 0 ? *does_not == 1 : *does_not <= next_above(fits));
}

LargestBatch find_largest_batch(int64_t start, int64_t limit, int most, const PeakOfBatch& peak) {
  Search search(limit);
  int compilations = 0;
  for (int64_t batch = start; batch > 0 && compilations < most; batch = search.next()) {
    search.saw(batch, peak(batch));
    ++compilations;
  }
  LargestBatch result = search.result();
  result.compilations = compilations;
  return result;
}

}  // namespace plan
}  // namespace systolic::inline v0
