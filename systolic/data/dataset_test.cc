// What the transformations give, against plain loops; and how they fail.
#include "systolic/data/dataset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>

#include "systolic/base/global_seed.h"
#include "systolic/base/test_errors.h"
#include "systolic/data/test_numbers.h"
#include "systolic/data/transformations/batch.h"

namespace systolic {
namespace {

using data::Dataset;

Literal plus(const Literal& x, int64_t n) {
  return Literal::scalar<int64_t>(x.item<int64_t>() + n);
}

// As keras.utils.set_random_seed does.
TEST(Dataset, AGlobalSeedDecidesShufflesWithoutOne) {
  const auto orders = [](uint64_t seed) {
    set_global_seed(seed);
    std::vector<Numbers> results;
    for (int i = 0; i < 2; ++i) {
      const Dataset shuffled = data::range(100).shuffle(100);
      for (int epoch = 0; epoch < 2; ++epoch) results.push_back(numbers(shuffled));
    }
    return results;
  };
  const std::vector<Numbers> first = orders(3);
  EXPECT_NE(first[0], first[1]);
  EXPECT_NE(first[0], first[2]);
  EXPECT_EQ(orders(3), first);
  EXPECT_NE(orders(4), first);
  set_global_seed(3);
  numbers(data::range(6));  // reading changes nothing that is drawn later
  EXPECT_EQ(numbers(data::range(100).shuffle(100)), first[0]);
}

TEST(Dataset, SourcesGiveTheirElements) {
  EXPECT_EQ(numbers(data::range(5)), counting(5));
  EXPECT_EQ(numbers(data::range(2, 11, 3)), (Numbers{2, 5, 8}));
  EXPECT_EQ(numbers(data::range(3, 0, -2)), (Numbers{3, 1}));
  const Literal x = Literal::of<float>({{1, 2}, {3, 4}, {5, 6}}),
                y = Literal::of<int64_t>({7, 8, 9});
  const Dataset slices = data::from_tensor_slices({x, y});
  int64_t row = 0;
  for (const Example& element : slices) {
    EXPECT_EQ(element["x"], x.row(row));
    EXPECT_EQ(element["y"], y.row(row++));
  }
  EXPECT_EQ(row, 3);
  EXPECT_EQ(slices.cardinality(), 3);
  EXPECT_EQ(to_string(slices.element_spec()), "{x: f32(2,), y: i64()}");
  const std::vector<int64_t> numbers_of_y = {7, 8, 9};
  EXPECT_EQ(*data::from_tensor_slices({x, numbers_of_y}).begin(), *slices.begin());
  const Example named{{"x", x}};
  EXPECT_EQ(*data::from_tensor_slices({named, numbers_of_y}).begin(), *slices.begin());
  EXPECT_CONTAINS(error_of([&] {
                    data::from_tensor_slices({x, Literal::of<int64_t>({1})});
                  }),
                  "3 rows");
  auto make = [] {
    return [n = 0]() mutable -> std::optional<Example> {
      if (n == 3) return std::nullopt;
      return Example{{"n", Literal::scalar<int64_t>(n++)}};
    };
  };
  EXPECT_EQ(numbers(data::from_generator(make).repeat(2)), (Numbers{0, 1, 2, 0, 1, 2}));
}

TEST(Dataset, SelectingTransformationsAgreeWithLoops) {
  const Dataset ten = data::range(10);
  EXPECT_EQ(numbers(ten.take(3)), counting(3));
  EXPECT_EQ(numbers(ten.take(-1)), counting(10));
  EXPECT_EQ(numbers(ten.skip(7)), counting(10, 7));
  EXPECT_EQ(numbers(ten.skip(70)), Numbers{});
  EXPECT_EQ(numbers(ten.shard(3, 1)), (Numbers{1, 4, 7}));
  EXPECT_EQ(numbers(data::range(2).repeat(3)), (Numbers{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(numbers(data::range(2).repeat().take(5)), (Numbers{0, 1, 0, 1, 0}));
  EXPECT_EQ(numbers(ten.filter([](const Literal& x) { return x.item<int64_t>() % 3 == 0; })),
            (Numbers{0, 3, 6, 9}));
  EXPECT_EQ(numbers(data::range(2).concatenate(data::range(3))), (Numbers{0, 1, 0, 1, 2}));
  EXPECT_EQ(numbers(data::range(300).enumerate()), counting(300));
  EXPECT_EQ(numbers(data::range(200).batch(7).unbatch()), counting(200));
  const Dataset other = data::range(5, 8).map([](const Literal& x) { return Example{{"b", x}}; });
  EXPECT_EQ(to_string(data::zip({ten, other}).first()), "{value: i64(), b: i64()}");
  EXPECT_EQ(numbers(data::zip({ten, other})), counting(3));
}

TEST(Dataset, CardinalityIsKnownWhereItCanBe) {
  const Dataset ten = data::range(10);
  EXPECT_EQ(ten.repeat().cardinality(), data::infinite_cardinality);
  EXPECT_EQ(ten.repeat(3).batch(7).cardinality(), 5);
  EXPECT_EQ(ten.repeat(3).batch(7, {.drop_remainder = true}).cardinality(), 4);
  EXPECT_EQ(ten.repeat().take(4).cardinality(), 4);
  EXPECT_EQ(ten.skip(4).shard(4, 1).cardinality(), 2);
  EXPECT_EQ(ten.filter([](const Literal&) { return true; }).cardinality(),
            data::unknown_cardinality);
  EXPECT_EQ(ten.concatenate(ten).prefetch(1).shuffle(3).cache().cardinality(), 20);
  EXPECT_EQ(ten.filter([](const Literal&) { return true; }).assert_cardinality(10).cardinality(),
            10);
}

TEST(Dataset, BatchStacksAndNamesWhatDoesNotFit) {
  const Dataset batches = data::range(10).batch(4);
  std::vector<Shape> shapes;
  for (const Example& batch : batches) shapes.push_back(batch.value(0).shape());
  EXPECT_EQ(shapes, (std::vector<Shape>{{4}, {4}, {2}}));
  EXPECT_EQ(batches.first()["value"], Literal::of<int64_t>({0, 1, 2, 3}));
  EXPECT_EQ(to_string(batches.element_spec()), "{value: i64(-1,)}");
  EXPECT_EQ(to_string(data::range(10).batch(4, {.drop_remainder = true}).element_spec()),
            "{value: i64(4,)}");
  const Dataset words = data::from_tensor_slices(Literal::strings({"a", "bc", ""}));
  EXPECT_EQ(words.batch(3).first().only(), Literal::strings({"a", "bc", ""}));
  const Dataset ragged = data::range(5).map(
      [](const Literal& x) { return Literal::zeros(DType::f32, {x.item<int64_t>() / 3}); });
  EXPECT_CONTAINS(error_of([&] { numbers(ragged.batch(5)); }),
                  "element 3: {value: f32(1,)}, expected the same names");
  EXPECT_CONTAINS(error_of([&] { data::range(3).batch(0); }),
                  "batch(0), expected a size of at least 1.");
}

TEST(Dataset, MapTakesEveryKindOfFunction) {
  const Dataset pairs =
      data::from_tensor_slices({Literal::of<int64_t>({1, 2}), Literal::of<int64_t>({3, 4})});
  EXPECT_EQ(numbers(data::range(3).map([](const Literal& x) { return plus(x, 1); })),
            counting(4, 1));
  EXPECT_EQ(pairs.map([](const Literal& x, const Literal& y) {
                   return std::pair{y, x};
                 })
                .first(),
            (Example{{"x", Literal::scalar<int64_t>(3)}, {"y", Literal::scalar<int64_t>(1)}}));
  EXPECT_EQ(pairs
                .map([](const Example& e) -> Example {
                  return {{"sum", plus(e["x"], e["y"].item<int64_t>())}};
                })
                .first()["sum"]
                .item<int>(),
            4);
  EXPECT_CONTAINS(error_of([&] { pairs.map([](const Literal& x) { return x; }).first(); }),
                  "the function takes 1 array, the element has 2");
  EXPECT_CONTAINS(error_of([&] { pairs.map([](const Example& e) { return e["z"]; }).first(); }),
                  "the element has no 'z', got x, y");
  EXPECT_EQ(to_string(data::range(10)
                          .batch(4)
                          .map([](const Literal& x) { return x.convert(DType::f32); })
                          .element_spec()),
            "{value: f32(-1,)}");
}

TEST(Dataset, ParallelMapKeepsTheOrder) {
  const Dataset mapped = data::range(1000).map(
      [](const Literal& x) {
        if (x.item<int64_t>() % 97 == 0)
          std::this_thread::sleep_for(std::chrono::microseconds(300));
        return plus(x, 1);
      },
      {.num_parallel_calls = 4});
  EXPECT_EQ(numbers(mapped), counting(1001, 1));
  EXPECT_EQ(numbers(mapped.take(10)), counting(11, 1));
  Numbers any = numbers(mapped.with_options({.deterministic = false}));
  std::sort(any.begin(), any.end());
  EXPECT_EQ(any, counting(1001, 1));
}

TEST(Dataset, ShuffleIsAPermutationFixedByItsSeed) {
  const Dataset shuffled =
      data::range(500).shuffle(100, {.seed = 7, .reshuffle_each_iteration = false});
  const Numbers first = numbers(shuffled);
  EXPECT_NE(first, counting(500));
  EXPECT_EQ(numbers(shuffled), first);
  // Draws do not depend on how elements fall into chunks.
  EXPECT_EQ(numbers(shuffled.prefetch(3)), first);
  EXPECT_EQ(numbers(shuffled.batch(9).unbatch()), first);
  Numbers sorted = first;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, counting(500));
  // An element can leave early, but not before it came in.
  for (size_t i = 0; i < first.size(); ++i) EXPECT_LE(first[i], static_cast<int64_t>(i) + 100);
  const Numbers two_epochs = numbers(data::range(50).shuffle(50, {.seed = 1}).repeat(2));
  EXPECT_NE(Numbers(two_epochs.begin(), two_epochs.begin() + 50),
            Numbers(two_epochs.begin() + 50, two_epochs.end()));
  const Dataset again = data::range(50).shuffle(50, {.seed = 1});
  EXPECT_NE(numbers(again), numbers(again));
}

TEST(Dataset, RandomGivesNumbersBySeedAndEpoch) {
  const auto some = [](const data::RandomOptions& options) {
    return numbers(data::random(options).take(4).repeat(2));
  };
  const Numbers same = some({.seed = 3}),
                other = some({.seed = 3, .rerandomize_each_iteration = true});
  const auto first = [](const Numbers& all) { return Numbers(all.begin(), all.begin() + 4); };
  const auto second = [](const Numbers& all) { return Numbers(all.begin() + 4, all.end()); };
  EXPECT_EQ(first(same), second(same));
  EXPECT_NE(first(other), second(other));
  EXPECT_EQ(some({.seed = 3}), same);
  EXPECT_NE(some({.seed = 4}), same);
  EXPECT_NE(some({}), some({}));
  for (const int64_t number : other) EXPECT_GE(number, 0);
}

// For a source whose elements are computed only their numbers are held.
TEST(Dataset, WhateverTheSourceTheOrderIsOne) {
  for (const int64_t rows : {0, 1, 7, 300}) {
    for (const int64_t buffer : {1, 4, 7, 299, 300, 1000}) {
      const data::ShuffleOptions options{.seed = 5};
      const Dataset plain = data::range(rows);
      const Dataset other = plain.map([](const Literal& x) { return x; });
      EXPECT_EQ(numbers(plain.shuffle(buffer, options).repeat(2)),
                numbers(other.shuffle(buffer, options).repeat(2)))
          << rows << " " << buffer;
    }
  }
}

TEST(Dataset, AFullBufferShufflesEvenly) {
  std::vector<int> first_counts(8, 0);
  const Dataset shuffled = data::range(8).shuffle(8, {.seed = 3});
  for (int i = 0; i < 4000; ++i)
    ++first_counts[static_cast<size_t>(shuffled.first().only().item<int64_t>())];
  for (int count : first_counts) EXPECT_NEAR(count, 500, 110);  // five standard deviations
}

TEST(Dataset, CacheReadsItsInputOnce) {
  auto calls = std::make_shared<std::atomic<int>>(0);
  const Dataset cached =
      data::range(10).map([calls](const Literal& x) { return ++*calls, plus(x, 0); }).cache();
  EXPECT_EQ(numbers(cached.take(3)), counting(3));  // not to the end: nothing is kept
  *calls = 0;
  EXPECT_EQ(numbers(cached.repeat(3)).size(), 30u);
  EXPECT_EQ(numbers(cached), counting(10));
  EXPECT_EQ(*calls, 10);
}

TEST(Dataset, InterleaveTakesTurns) {
  auto three = [](const Example& e) {
    const int64_t n = e.only().item<int64_t>();
    return data::range(10 * n, 10 * n + 3);
  };
  const Dataset inputs = data::range(3);
  EXPECT_EQ(numbers(inputs.interleave(three, {.cycle_length = 1})),
            (Numbers{0, 1, 2, 10, 11, 12, 20, 21, 22}));
  EXPECT_EQ(numbers(inputs.interleave(three, {.cycle_length = 2})),
            (Numbers{0, 10, 1, 11, 2, 12, 20, 21, 22}));
  EXPECT_EQ(numbers(inputs.interleave(three, {.cycle_length = 2, .block_length = 2})),
            (Numbers{0, 1, 10, 11, 2, 12, 20, 21, 22}));
  auto many = [](const Example& e) {
    return data::range(1000 * e.only().item<int64_t>(), 1000 * e.only().item<int64_t>() + 300);
  };
  for (int64_t cycle : {1, 2, 3, 5}) {
    for (int64_t block : {1, 7, 100}) {
      const Numbers wanted =
          numbers(data::range(7).interleave(many, {.cycle_length = cycle, .block_length = block}));
      EXPECT_EQ(wanted.size(), 2100u);
      EXPECT_EQ(numbers(data::range(7).interleave(
                    many, {.cycle_length = cycle, .block_length = block, .num_parallel_calls = 3})),
                wanted);
      Numbers any = numbers(data::range(7).interleave(many, {.cycle_length = cycle,
                                                             .block_length = block,
                                                             .num_parallel_calls = 3,
                                                             .deterministic = false}));
      std::sort(any.begin(), any.end());
      EXPECT_EQ(any, numbers(data::range(7).flat_map(many)));
    }
  }
  // By default eight, whatever the machine; as many as there are threads where these are given.
  const Dataset twenty = data::range(20);
  EXPECT_EQ(numbers(twenty.interleave(three)),
            numbers(twenty.interleave(three, {.cycle_length = 8})));
  EXPECT_EQ(numbers(twenty.interleave(three, {.num_parallel_calls = data::autotune})),
            numbers(twenty.interleave(three, {.cycle_length = 8})));
  EXPECT_EQ(numbers(twenty.interleave(three, {.num_parallel_calls = 3})),
            numbers(twenty.interleave(three, {.cycle_length = 3})));
}

TEST(Dataset, EmptyDatasetsEnd) {
  const Dataset none = data::range(0);
  EXPECT_EQ(numbers(none.repeat()), Numbers{});
  EXPECT_EQ(numbers(none.shuffle(10).repeat(3).batch(4).prefetch(2)), Numbers{});
  EXPECT_EQ(numbers(none.map([](const Literal& x) { return x; }, {.num_parallel_calls = 3})),
            Numbers{});
  EXPECT_EQ(numbers(none.interleave([](const Example&) { return data::range(3); },
                                    {.cycle_length = 2, .num_parallel_calls = 2})),
            Numbers{});
  EXPECT_EQ(numbers(data::range(5).filter([](const Literal&) { return false; }).repeat()),
            Numbers{});
  EXPECT_CONTAINS(error_of([&] { none.first(); }), "FailedPrecondition: the dataset is empty");
  data::Iterator iterator = none.iterator();
  EXPECT_FALSE(iterator.next());
  EXPECT_FALSE(iterator.next());
  EXPECT_CONTAINS(error_of([&] { next(iterator); }),
                  "next() at the end of the dataset.\n  hint: add .repeat()");
}

TEST(Dataset, ApplyPutsOwnStagesInOrder) {
  const auto pairs = [](const Dataset& dataset) { return dataset.batch(2); };
  EXPECT_EQ(data::range(4).apply(pairs).skip(1).first().only(), Literal::of<int64_t>({2, 3}));
}

TEST(Dataset, AssertedCardinalityIsChecked) {
  EXPECT_EQ(numbers(data::range(5).assert_cardinality(5)), counting(5));
  EXPECT_CONTAINS(error_of([] { numbers(data::range(5).assert_cardinality(6)); }),
                  "the dataset ended after 5 elements, expected 6");
  EXPECT_CONTAINS(error_of([] { numbers(data::range(5).assert_cardinality(3)); }),
                  "elements, expected 3");
}

TEST(Dataset, WhatAFunctionThrowsNamesStageAndElement) {
  auto throws_at_37 = [](const Literal& x) {
    if (x.item<int64_t>() == 37) throw std::runtime_error("bad luck");
    return x;
  };
  for (int threads : {1, 4}) {
    data::Iterator iterator =
        data::range(100)
            .map(throws_at_37, {.num_parallel_calls = threads}, {"train.cc", 41})
            .prefetch(5)
            .iterator();
    for (int64_t i = 0; i < 37; ++i)
      EXPECT_EQ(next(iterator).only().item<int64_t>(), i);  // earlier ones arrive
    for (int again = 0; again < 2; ++again) {
      EXPECT_EQ(error_of([&] { iterator.next(); }),
                "FunctionFailed: map at train.cc:41, element 37: the function threw: bad luck.");
    }
  }
  auto raises = [](const Literal& x) { return x.reshape({2}); };
  EXPECT_CONTAINS(
      error_of([&] {
        numbers(data::range(3).map(raises, {.num_parallel_calls = 2}, {"a.cc", 1}).batch(2));
      }),
      "InvalidArgument: map at a.cc:1, element 0: cannot reshape i64()");
  EXPECT_CONTAINS(
      error_of([&] { numbers(data::range(3).map([](const Literal&) -> Literal { throw 5; })); }),
      "no std::exception");
  EXPECT_CONTAINS(
      error_of([&] {
        numbers(data::range(3).filter([](const Literal&) -> bool { throw std::logic_error("x"); }));
      }),
      "filter at");
}

// Also of functions that are given no element of their own, or make one.
TEST(Dataset, WhateverAFunctionThrowsNamesItsStage) {
  const auto inner = [](const auto&...) -> data::Dataset { throw 42; };
  const auto key = [](const Example&) -> int64_t { throw 42; };
  const auto generator = [] { return []() -> std::optional<Example> { throw 42; }; };
  const auto maker = []() -> std::function<std::optional<Example>()> { throw 42; };
  const data::Dataset some = data::range(4);
  const std::pair<const char*, data::Dataset> cases[] = {
      {"from_generator", data::from_generator(generator, {}, {"a.cc", 1})},
      {"from_generator", data::from_generator(maker, {}, {"a.cc", 1})},
      {"interleave", some.interleave(inner, {}, {"a.cc", 1})},
      {"interleave", some.interleave(inner, {.num_parallel_calls = 2}, {"a.cc", 1})},
      {"flat_map", some.flat_map(inner, {"a.cc", 1})},
      {"window", some.window(2).flat_map(inner, {"a.cc", 1})},
      {"group_by_window", some.group_by_window(key, inner, 2, {"a.cc", 1})},
      {"rejection_resample", some.rejection_resample(key, {0.5, 0.5}, {.seed = 1}, {"a.cc", 1})},
  };
  for (const auto& [name, dataset] : cases) {
    for (const data::Dataset& each : {dataset, dataset.prefetch(2)}) {
      const std::string error = error_of([&] {
        for ([[maybe_unused]] const Example& element : each) {
        }
      });
      EXPECT_CONTAINS(error, str("FunctionFailed: ", name, " at a.cc:1"));
      EXPECT_CONTAINS(error, ": the function threw something that is no std::exception");
    }
  }
}

// Each of them would take a machine's threads or memory, or call nothing.
TEST(Dataset, OptionsThatNoMachineHoldsAreRefused) {
  const data::Dataset some = data::range(4);
  const auto same = [](const Literal& x) { return x; };
  const auto inner = [](const Example&) { return data::range(2); };
  constexpr int many = 2'000'000'000;
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_CONTAINS(error_of([&] { some.map(same, {.num_parallel_calls = many}); }),
                  "InvalidArgument: map with num_parallel_calls = 2000000000, expected 1 to 1024");
  EXPECT_CONTAINS(error_of([&] { some.map(same, {.num_parallel_calls = -2}); }), "= -2");
  EXPECT_CONTAINS(error_of([&] { some.interleave(inner, {.cycle_length = most}); }),
                  "at most 65536 datasets in turns");
  EXPECT_CONTAINS(error_of([&] { some.interleave(inner, {.num_parallel_calls = many}); }),
                  "1024 threads");
  EXPECT_CONTAINS(error_of([&] { some.interleave(nullptr); }), "an empty function");
  EXPECT_CONTAINS(error_of([&] { data::from_generator(nullptr); }), "an empty function");
  // Sizes beyond the data are fine.
  EXPECT_EQ(numbers(some.shuffle(most).prefetch(most)).size(), 4u);
  EXPECT_EQ(some.batch(most).first().value(0).shape(), Shape({4}));
}

TEST(Dataset, AHandleThatWasMovedFromHoldsOn) {
  data::Dataset some = data::range(4);
  const data::Dataset other = std::move(some);
  EXPECT_EQ(numbers(some), numbers(other));  // NOLINT: what this is about
}

TEST(Dataset, AConsumerMayStopEarlyAnywhere) {
  auto slow = [](const Literal& x) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    return x;
  };
  const Dataset pipeline = data::range(4)
                               .interleave([](const Example&) { return data::range(10'000'000); },
                                           {.cycle_length = 3, .num_parallel_calls = 2})
                               .map(slow, {.num_parallel_calls = 3})
                               .shuffle(20)
                               .repeat()
                               .prefetch(8)
                               .batch(2)
                               .prefetch(data::autotune);
  for (int taken : {0, 1, 2, 5, 17}) {
    data::Iterator iterator = pipeline.iterator();
    for (int i = 0; i < taken; ++i) EXPECT_TRUE(iterator.next());
  }
  // A buffer that would take a thousand years to fill.
  auto endless = data::range(int64_t{1} << 60).shuffle(int64_t{1} << 40).prefetch(1).iterator();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

// A stage that blocks: closing waits for its call, and nothing else that waits is in the way.
TEST(Dataset, ClosingWaitsForACallThatBlocks) {
  std::mutex mutex;
  std::condition_variable changed;
  int inside = 0;
  bool released = false;
  const auto block = [&](int64_t n) {
    std::unique_lock lock(mutex);
    if (n == 0) return n;
    ++inside;
    changed.notify_all();
    changed.wait(lock, [&] { return released; });
    --inside;
    return n;
  };
  const Dataset builds[] = {
      data::range(100).map(block).prefetch(1),
      data::range(100).map(block, {.num_parallel_calls = 2}),
      data::range(8)
          .interleave([&](const Example& e) { return data::from_tensors(e).map(block); },
                      {.cycle_length = 2, .num_parallel_calls = 2})
          .prefetch(1),
  };
  for (const Dataset& dataset : builds) {
    released = false;
    auto iterator = std::make_optional(dataset.iterator());
    EXPECT_EQ(next(*iterator).only().item<int64_t>(), 0);
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return inside > 0; });
    lock.unlock();
    EXPECT_GT(iterator->report().size(), 1u);  // needs nothing that the call holds
    std::thread closing([&] { iterator.reset(); });
    lock.lock();
    released = true;
    changed.notify_all();
    lock.unlock();
    closing.join();
    EXPECT_EQ(inside, 0);
  }
}

TEST(Dataset, ReportCountsWhatEachStageDid) {
  data::Iterator iterator = data::range(100)
                                .map([](const Literal& x) { return x; }, {}, {"m.cc", 1})
                                .batch(10, {}, {"b.cc", 2})
                                .iterator();
  while (iterator.next()) {
  }
  const auto report = iterator.report();
  ASSERT_EQ(report.size(), 3u);
  EXPECT_EQ(report[0].name, "range");
  EXPECT_EQ(report[1].name, "map at m.cc:1");
  EXPECT_EQ(report[1].elements, 100);
  EXPECT_EQ(report[2].elements, 10);
  EXPECT_EQ(report[2].bytes, 800);
  EXPECT_GT(report[1].busy_seconds, 0);
  EXPECT_CONTAINS(to_string(report), "batch at b.cc:2");
}

}  // namespace
}  // namespace systolic
