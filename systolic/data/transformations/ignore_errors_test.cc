// Elements whose map throws are left out, and said.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_numbers.h"

namespace systolic {
namespace {

using data::Dataset;

int64_t no_threes(int64_t x) {
  if (x % 3 == 0) raise<DataLoss>({.what = str("three times ", x / 3), .hint = "mend it"});
  return 10 * x;
}

TEST(IgnoreErrors, TheOthersComeInOrder) {
  Numbers wanted;
  for (int64_t x = 0; x < 500; ++x) {
    if (x % 3 != 0) wanted.push_back(10 * x);
  }
  for (const int threads : {1, 2, 4, data::autotune}) {
    const CaughtLog log;
    const Dataset rest =
        data::range(500).map(no_threes, {.num_parallel_calls = threads}).ignore_errors();
    EXPECT_EQ(numbers(rest), wanted) << threads;
    EXPECT_CONTAINS(log.lines(), "left out: map at ");
    EXPECT_CONTAINS(log.lines(), ": three times ");
    const std::string first =
        threads == 1 ? "element 0: three times 0.\n  hint: mend it" : ": three times ";
    EXPECT_CONTAINS(log.lines(), first);
    EXPECT_CONTAINS(log.lines(), "More are skipped without a message");
    const std::string& lines = log.lines();
    int said = 0;
    for (size_t at = 0; (at = lines.find("left out: ", at)) != std::string::npos; ++at) ++said;
    EXPECT_EQ(said, 10) << "not all 167";
    EXPECT_EQ(rest.cardinality(), data::unknown_cardinality);
  }
}

TEST(IgnoreErrors, WhatStandsBehindSeesTheRest) {
  const CaughtLog log;
  const Dataset rest = data::range(20).map(no_threes).ignore_errors({.log_warning = false});
  EXPECT_EQ(numbers(rest.enumerate().map([](const Example& e) { return e["index"]; })).size(), 13u);
  EXPECT_EQ(rest.batch(4, {.drop_remainder = true}).first().only().shape(), Shape{4});
  EXPECT_EQ(numbers(rest.repeat(2).take(15)).back(), 20);  // 10, …, 190, and again 10, 20
  EXPECT_EQ(rest.first().only().integer_at(0), 10);
  EXPECT_EQ(rest.element_spec().front().dtype, DType::i64) << "of the first that is there";
  EXPECT_EQ(log.lines(), "");
}

TEST(IgnoreErrors, NothingMayBeLeft) {
  const auto none = [](int64_t) -> int64_t { raise<DataLoss>({.what = "no"}); };
  for (const int threads : {1, 3}) {
    const Dataset empty = data::range(300)
                              .map(none, {.num_parallel_calls = threads})
                              .ignore_errors({.log_warning = false});
    EXPECT_EQ(numbers(empty), Numbers{}) << threads;
    EXPECT_EQ(numbers(empty.repeat(2)), Numbers{}) << threads;
    // Without end it would hang, and the function is at fault in any case.
    const Dataset endless = data::range(7)
                                .repeat()
                                .map(none, {.num_parallel_calls = threads})
                                .ignore_errors({.log_warning = false});
    EXPECT_CONTAINS(error_of([&] { numbers(endless); }), "DataLoss: map at ");
  }
}

// As when a disk came back: the error that was given does not count a second time.
TEST(IgnoreErrors, IteratingAgainCountsAnew) {
  int64_t faults = 1'000'000;
  const Dataset rest = data::range(2000)
                           .map([&faults](int64_t x) {
                             if (--faults >= 0) raise<DataLoss>({.what = "no"});
                             return x;
                           })
                           .ignore_errors({.log_warning = false});
  EXPECT_CONTAINS(error_of([&] { numbers(rest); }), "DataLoss: map at ");
  faults = 10;
  const Numbers some = numbers(rest);
  ASSERT_EQ(some.size(), 1990u);
  EXPECT_EQ(some.front(), 10);
}

TEST(IgnoreErrors, ThrowsOfAnyKindAreLeftOut) {
  const CaughtLog log;
  const Dataset rest = data::range(3)
                           .map([](int64_t x) {
                             if (x == 1) throw std::runtime_error("unforeseen");
                             return x;
                           })
                           .ignore_errors();
  EXPECT_EQ(numbers(rest), (Numbers{0, 2}));
  EXPECT_CONTAINS(log.lines(), "element 1: the function threw: unforeseen");
}

TEST(IgnoreErrors, StandsBehindAMap) {
  const std::string said = error_of([] { data::range(3).batch(2).ignore_errors(); });
  EXPECT_CONTAINS(said, "InvalidArgument: ignore_errors skips elements whose map throws");
  EXPECT_CONTAINS(said, "got it after batch at ");
  EXPECT_CONTAINS(said, "on_corrupt");
}

}  // namespace
}  // namespace systolic
