// Lengths to pad to, against every choice of as many multiples.
#include "systolic/data/transformations/length_buckets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "systolic/base/test_errors.h"

namespace systolic::data {
namespace {

int64_t padded(const std::vector<int64_t>& lengths, const std::vector<int64_t>& buckets,
               int64_t max_length) {
  int64_t total = 0;
  for (int64_t length : lengths) {
    if (max_length > 0) length = std::min(length, max_length);
    int64_t best = 0;
    for (const int64_t bucket : buckets) {
      if (bucket >= length && (best == 0 || bucket < best)) best = bucket;
    }
    if (best == 0) return -1;  // one does not fit
    total += best;
  }
  return total;
}

// The least padded tokens of all sets of at most `buckets` multiples, one by one.
int64_t least_padded(const std::vector<int64_t>& lengths, const LengthBucketOptions& options) {
  const int64_t longest = *std::max_element(lengths.begin(), lengths.end());
  std::vector<int64_t> multiples;
  for (int64_t m = options.multiple; m < longest + options.multiple || multiples.empty();
       m += options.multiple)
    multiples.push_back(m);
  int64_t least = -1;
  for (uint32_t set = 1; set < (1u << multiples.size()); ++set) {
    if (__builtin_popcount(set) > options.buckets) continue;
    std::vector<int64_t> chosen;
    for (size_t i = 0; i < multiples.size(); ++i) {
      if (set >> i & 1) chosen.push_back(multiples[i]);
    }
    const int64_t total = padded(lengths, chosen, options.max_length);
    if (total >= 0 && (least < 0 || total < least)) least = total;
  }
  return least;
}

TEST(LengthBuckets, PadAsLittleAsAnyChoice) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<int64_t> lengths(1 + random() % 30);
    for (int64_t& length : lengths) length = static_cast<int64_t>(random() % 40);
    const LengthBucketOptions options{.buckets = 1 + static_cast<int64_t>(random() % 5),
                                      .multiple = 4 + static_cast<int64_t>(random() % 9),
                                      .max_length = random() % 2 ? 0 : 25};
    const LengthBuckets got = length_buckets(lengths, options);
    EXPECT_EQ(got.padded_tokens, least_padded(lengths, options)) << "round " << round;
    EXPECT_EQ(got.padded_tokens, padded(lengths, got.lengths, options.max_length));
    EXPECT_LE(static_cast<int64_t>(got.lengths.size()), options.buckets);
    for (const int64_t length : got.lengths) EXPECT_EQ(length % options.multiple, 0);
    EXPECT_TRUE(std::is_sorted(got.lengths.begin(), got.lengths.end()));
  }
}

TEST(LengthBuckets, SayWhatIsWasted) {
  const std::vector<int64_t> lengths = {10, 20, 30, 32, 120, 128};
  const LengthBuckets one = length_buckets(lengths, {.buckets = 1, .multiple = 32});
  EXPECT_EQ(one.lengths, std::vector<int64_t>{128});
  EXPECT_EQ(one.tokens, 340);
  EXPECT_DOUBLE_EQ(one.waste(), 1 - 340. / 768);
  const LengthBuckets two = length_buckets(lengths, {.buckets = 2, .multiple = 32});
  EXPECT_EQ(two.lengths, (std::vector<int64_t>{32, 128}));
  EXPECT_EQ(to_string(two), "padded to 32, 128: 11.5 % of 384 tokens are padding");
  std::vector<int64_t> many(13);
  std::iota(many.begin(), many.end(), int64_t{4});
  EXPECT_EQ(padding_text(many, 3, 4),
            "padded to 13 lengths from 4 to 16: 25.0 % of 4 tokens are padding");
  EXPECT_EQ(two.boundaries(), (std::vector<int64_t>{33, 129}));
  EXPECT_EQ(two.length_for(0), 32);
  EXPECT_EQ(two.length_for(32), 32);
  EXPECT_EQ(two.length_for(33), 128);
  EXPECT_EQ(two.length_for(1000), 128);
}

TEST(LengthBuckets, RefuseWhatMakesNoSense) {
  struct Row {
    std::vector<int64_t> lengths;
    LengthBucketOptions options;
    std::string part;
  };
  const Row table[] = {{{}, {}, "no sequences"},
                       {{1}, {.buckets = 0}, "buckets = 0"},
                       {{1}, {.multiple = 0}, "multiple = 0"},
                       {{1}, {.max_length = -1}, "max_length = -1"},
                       {{3, -1}, {}, "-1 tokens"},
                       {{int64_t{1} << 40}, {}, "a sequence of"}};
  for (const Row& row : table)
    EXPECT_CONTAINS(message_of<InvalidArgument>([&] { length_buckets(row.lengths, row.options); }),
                    row.part);
}

}  // namespace
}  // namespace systolic::data
