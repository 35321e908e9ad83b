// Iterators saved anywhere and taken up again give what was left, and nothing that a state holds
// does harm. The oracle is the iterator that was never saved.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <random>
#include <stdexcept>
#include <thread>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/data/dataset.h"
#include "systolic/data/state/state_archive.h"
#include "systolic/data/state/test_states.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/records/tfrecord_writer.h"

namespace systolic {
namespace {

using data::Dataset;
using data::Iterator;

// The next elements as text, up to `most` of them; "error" stands for what ends a dataset by an
// error.
std::vector<std::string> rest_of(Iterator& iterator, int most = 1 << 20) {
  std::vector<std::string> result;
  try {
    for (int i = 0; i < most; ++i) {
      const auto element = iterator.next();
      if (!element) break;
      std::string text = to_string(*element);
      for (const auto& [name, value] : *element) text += to_string(value);
      result.push_back(std::move(text));
    }
  } catch (const Error& error) {
    result.push_back(error.what());
  }
  return result;
}

// Without overflow: a damaged state gives functions any number.
int64_t small(const Literal& x) { return x.item<int64_t>() % 1'000'000'000; }

Literal plus(const Literal& x, int64_t n) { return Literal::scalar<int64_t>(small(x) + n); }
// Throws for most of the first 50, so that whole chunks are left out.
Literal not_sevens(const Literal& x) {
  if (small(x) < 50 && small(x) % 7 != 0) raise<DataLoss>({.what = "no seven"});
  return plus(x, 100);
}
Literal slowly(const Literal& x) {
  if (x.item<int64_t>() % 13 == 0) std::this_thread::sleep_for(std::chrono::microseconds(20));
  return plus(x, 1000);
}
Dataset range_of(const Example& e) {
  const int64_t n = small(e.only());
  return data::range(100 * n, 100 * n + 3 + n % 5).shuffle(4);
}
Literal fails_at_30(const Literal& x) {
  if (x.item<int64_t>() == 30) throw std::runtime_error("bad luck");
  return x;
}
Literal zeros_of(const Literal& x) {
  return Literal::filled(DType::i32, {small(x) * 5 % 6}, x.item<double>());
}
std::function<std::optional<Example>()> forty() {
  return [n = int64_t{0}]() mutable -> std::optional<Example> {
    if (n == 40) return std::nullopt;
    return Example{{"n", Literal::scalar<int64_t>(n++)}};
  };
}

// Built anew for each iterator, as another run of the program would.
struct Case {
  const char* name;
  std::function<Dataset()> build;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> table{
      {"range", [] { return data::range(40); }},
      {"slices",
       [] {
         return data::from_tensor_slices(
                    {Literal::of<float>({{1, 2}, {3, 4}}), Literal::strings({"a", "bc"})})
             .repeat(5);
       }},
      {"generator", [] { return data::from_generator(forty).repeat(2); }},
      {"selecting",
       [] { return data::range(20).skip(3).shard(3, 1).repeat(4).take(15).enumerate(); }},
      {"filter",
       [] {
         return data::range(60)
             .filter([](const Literal& x) { return x.item<int64_t>() % 3 == 0; })
             .map([](const Literal& x) { return plus(x, 1); })
             .assert_cardinality(20);
       }},
      {"batch", [] { return data::range(40).batch(7).unbatch().batch(3).repeat(2); }},
      {"shuffle without a seed", [] { return data::range(30).shuffle(10).repeat(3); }},
      {"random numbers", [] { return data::random().take(20).repeat(2); }},
      {"shuffle of a source that the buffer holds",
       [] { return data::range(30).shuffle(30).repeat(2); }},
      {"shuffle of elements that were made",
       [] {
         return data::range(30)
             .map([](const Literal& x) { return plus(x, 1); })
             .shuffle(10)
             .repeat(2);
       }},
      {"shuffle once",
       [] { return data::range(30).shuffle(8, {.reshuffle_each_iteration = false}).repeat(2); }},
      {"cache", [] { return data::range(12).shuffle(5).cache().repeat(4).shuffle(6); }},
      {"cache in a dataset that a function makes",
       [] {
         return data::range(4).interleave(
             [](const Example& e) { return range_of(e).cache().repeat(3); }, {.cycle_length = 2});
       }},
      {"concatenate",
       [] { return data::range(9).shuffle(9).concatenate(data::range(9).shuffle(3)); }},
      {"zip",
       [] {
         return data::zip(
             {data::range(30).shuffle(6),
              data::range(50)
                  .enumerate()
                  .filter([](const Example& e) { return e["value"].item<int64_t>() % 2 == 0; })
                  .map([](const Example& e) {
                    return Example{{"b", e["value"]}};
                  })});
       }},
      {"parallel map", [] { return data::range(60).map(slowly, {.num_parallel_calls = 4}); }},
      {"ignored errors",
       [] { return data::range(60).map(not_sevens).ignore_errors({.log_warning = false}); }},
      {"ignored errors of a parallel map",
       [] {
         return data::range(60)
             .map(not_sevens, {.num_parallel_calls = 3})
             .ignore_errors({.log_warning = false});
       }},
      {"prefetch", [] { return data::range(50).prefetch(7).map(slowly).prefetch(data::autotune); }},
      {"interleave",
       [] { return data::range(9).interleave(range_of, {.cycle_length = 3, .block_length = 2}); }},
      {"parallel interleave",
       [] {
         return data::range(9).shuffle(4).interleave(
             range_of, {.cycle_length = 3, .block_length = 2, .num_parallel_calls = 2});
       }},
      {"flat_map", [] { return data::range(9).flat_map(range_of).shuffle(3); }},
      {"window",
       [] {
         return data::range(30).window(5, {.shift = 2}).flat_map([](const Dataset& window) {
           return window.shuffle(3).batch(2);
         });
       }},
      {"buckets",
       [] {
         return data::range(30).map(zeros_of).shuffle(8).bucket_by_sequence_length(
             [](const Example& e) { return e.only().shape()[0]; }, {2, 4}, {2, 3, 4});
       }},
      {"padded", [] { return data::range(20).map(zeros_of).padded_batch(3); }},
      {"ragged", [] { return data::range(20).map(zeros_of).ragged_batch(4); }},
      {"sample",
       [] {
         return data::sample_from_datasets({data::range(20).shuffle(4), data::range(100, 130)},
                                           {.weights = {1, 2}});
       }},
      {"choose",
       [] {
         return data::choose_from_datasets(
             {data::range(9), data::range(100, 130)}, data::range(40).map([](const Literal& x) {
               return Literal::scalar<int64_t>(x.item<int64_t>() % 3 == 0 ? 0 : 1);
             }),
             false);
       }},
      {"scan",
       [] {
         return data::range(20).scan(
             {{"sum", Literal::scalar<int64_t>(0)}}, [](const Example& state, const Example& e) {
               const Literal sum = plus(e.only(), state["sum"].item<int64_t>());
               return std::pair(Example{{"sum", sum}}, Example{{"s", sum}});
             });
       }},
      {"unique",
       [] {
         return data::range(40)
             .map([](const Literal& x) {
               return Literal::scalar<int64_t>(x.item<int64_t>() * 7 % 11);
             })
             .unique();
       }},
      {"resample",
       [] {
         return data::range(60).rejection_resample(
             [](const Example& e) { return e.only().item<int64_t>() % 5 == 0 ? 1 : 0; },
             {0.5, 0.5});
       }},
      {"error after threads",
       [] {
         return data::range(40)
             .map(fails_at_30, {.num_parallel_calls = 3}, {"a.cc", 1})
             .prefetch(9);
       }},
  };
  return table;
}

TEST(IteratorState, AnotherNumberOfRepetitionsIsAnotherDataset) {
  for (const int64_t rows : {3, 0}) {
    Iterator iterator = data::range(rows).repeat(2).iterator();
    iterator.next();
    EXPECT_CONTAINS(error_of([&] { data::range(rows).repeat(5).iterator(iterator.save()); }),
                    "FailedPrecondition: the iterator was saved with count 2, this dataset has 5");
    Iterator restored = data::range(rows).repeat(2).iterator(iterator.save());
    EXPECT_EQ(rest_of(restored).size(), rows == 0 ? 0u : 5u);
  }
}

TEST(IteratorState, EveryPointOfEveryTransformationIsTakenUp) {
  for (const Case& each : cases()) {
    Iterator iterator = each.build().iterator();
    for (int taken = 0; taken < 70; ++taken) {
      const std::string state = iterator.save();
      Iterator reference = each.build().iterator(state), again = each.build().iterator(state);
      const auto rest = rest_of(reference, 25);
      EXPECT_EQ(rest_of(again, 25), rest) << each.name << " after " << taken;
      try {
        const auto element = iterator.next();
        if (!element) {
          EXPECT_TRUE(rest.empty()) << each.name;
          break;
        }
        // What the saved iterator gives itself is what the restored ones give.
        ASSERT_FALSE(rest.empty()) << each.name << " after " << taken;
        EXPECT_EQ(rest.front().rfind(to_string(*element), 0), 0u) << each.name;
      } catch (const Error& error) {
        EXPECT_EQ(rest, (std::vector<std::string>{error.what()})) << each.name;
        break;
      }
    }
  }
}

// The saved iterator itself is the oracle: to its end, bit by bit.
TEST(IteratorState, ThousandRandomPointsOfAParallelPipeline) {
  const auto build = [] {
    return data::range(14)
        .shuffle(9)
        .interleave(
            [](const Example& e) {
              const int64_t n = e.only().item<int64_t>();
              return data::range(1000 * n, 1000 * n + 11 + n % 7).shuffle(5).map(slowly);
            },
            {.cycle_length = 4, .block_length = 3, .num_parallel_calls = 3})
        .map(slowly, {.num_parallel_calls = 3})
        .shuffle(50)
        .repeat(3)
        .batch(4)
        .prefetch(data::autotune);
  };
  std::mt19937_64 random(5);
  int points = 0;
  while (points < 1000) {
    Iterator iterator = build().iterator();
    std::vector<std::pair<size_t, std::string>> saved;
    std::vector<std::string> all;
    for (;;) {
      if (random() % 2 == 0) saved.emplace_back(all.size(), iterator.save());
      const auto next = rest_of(iterator, 1);
      if (next.empty()) break;
      all.push_back(next.front());
    }
    for (const auto& [position, state] : saved) {
      Iterator restored = build().iterator(state);
      ASSERT_EQ(
          rest_of(restored),
          std::vector<std::string>(all.begin() + static_cast<std::ptrdiff_t>(position), all.end()))
          << "saved after " << position;
      ++points;
    }
  }
}

TEST(IteratorState, WithoutAnOrderTheSameSetRemains) {
  const auto build = [] {
    return data::range(8)
        .interleave(
            [](const Example& e) {
              const int64_t n = e.only().item<int64_t>();
              return data::range(50 * n, 50 * n + 50);
            },
            {.cycle_length = 4, .num_parallel_calls = 3})
        .map(slowly, {.num_parallel_calls = 4})
        .with_options({.deterministic = false});
  };
  for (const int taken : {0, 1, 7, 100, 399, 400}) {
    Iterator iterator = build().iterator();
    std::vector<std::string> all = rest_of(iterator, taken);
    Iterator restored = build().iterator(iterator.save());
    for (const std::string& text : rest_of(restored)) all.push_back(text);
    std::sort(all.begin(), all.end());
    Iterator whole = build().iterator();
    std::vector<std::string> wanted = rest_of(whole);
    std::sort(wanted.begin(), wanted.end());
    EXPECT_EQ(all, wanted) << taken;
  }
}

TEST(IteratorState, FinishedResultsAreNotComputedAgain) {
  const auto calls = std::make_shared<std::atomic<int>>(0);
  const auto build = [calls](int64_t added) {
    return data::range(2000).map([=](const Literal& x) { return ++*calls, plus(x, added); },
                                 {.num_parallel_calls = 2});
  };
  Iterator iterator = build(0).iterator();
  rest_of(iterator, 10);
  while (*calls < 12) std::this_thread::yield();  // the threads work ahead
  Iterator restored = build(10000).iterator(iterator.save());
  std::vector<int64_t> values;
  while (const auto element = restored.next()) values.push_back(element->only().item<int64_t>());
  ASSERT_EQ(values.size(), 1990u);
  EXPECT_EQ(values[0], 10);  // computed before it was saved
  EXPECT_EQ(values[1], 11);
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(values[i] % 10000, 10 + static_cast<int64_t>(i));
  EXPECT_EQ(values.back(), 11999);  // and this one after it
}

TEST(IteratorState, LaterIteratorsOfTheDatasetFollowAsWell) {
  const auto build = [] { return data::range(20).shuffle(20); };
  const Dataset first = build();
  Iterator one = first.iterator();
  const std::string state = one.save();
  Iterator second_epoch = first.iterator();
  const auto wanted = rest_of(second_epoch);
  const Dataset resumed = build();
  Iterator again = resumed.iterator(state);
  EXPECT_EQ(rest_of(again), rest_of(one));
  Iterator resumed_second = resumed.iterator();
  EXPECT_EQ(rest_of(resumed_second), wanted);
}

TEST(IteratorState, RestoreMovesBackAndForth) {
  Iterator iterator = data::range(10).iterator();
  rest_of(iterator, 3);
  const std::string state = iterator.save();
  EXPECT_EQ(rest_of(iterator).size(), 7u);
  iterator.restore(state);
  EXPECT_EQ(rest_of(iterator).size(), 7u);
  Iterator other = std::move(iterator);
  EXPECT_EQ(rest_of(other).size(), 0u);
  for (const auto& use : std::vector<std::function<void()>>{
           [&] { iterator.next(); }, [&] { iterator.save(); }, [&] { iterator.restore(state); },
           [&] { iterator.report(); }}) {
    EXPECT_CONTAINS(error_of(use), "FailedPrecondition: use of an iterator that was moved from");
  }
}

TEST(IteratorState, FilesAreTakenUpAtTheirRecords) {
  const TemporaryFolder folder;
  std::vector<std::string> files;
  for (int file = 0; file < 5; ++file) {
    files.push_back(folder / str("part-", file));
    io::TFRecordWriter writer(files.back(), {.compression = io::Compression::gzip});
    for (int i = 0; i < 20 + file; ++i) writer.write(str("file ", file, " record ", i));
  }
  for (const int reads : {1, 2, data::autotune}) {
    const auto build = [&, reads] {
      return data::tfrecords(files,
                             {.compression = io::Compression::gzip, .num_parallel_reads = reads})
          .shuffle(7)
          .prefetch(4);
    };
    for (const int taken : {0, 1, 5, 30, 61, 109, 110}) {
      Iterator iterator = build().iterator();
      rest_of(iterator, taken);
      Iterator restored = build().iterator(iterator.save());
      EXPECT_EQ(rest_of(restored), rest_of(iterator)) << reads << " " << taken;
    }
  }
  const auto fewer = [&] { return data::tfrecords({files[0], files[1]}); };
  Iterator iterator = data::tfrecords(files).iterator();
  const std::string state = iterator.save();
  EXPECT_CONTAINS(error_of([&] { fewer().iterator(state); }), "with files 5, this dataset has 2");
}

// Taken up amid the pass that would have written the cache, the next one writes it, and with what
// the first would have written.
TEST(IteratorState, TheNextPassFillsTheCacheOnDiskThatAFirstLeftOpen) {
  const TemporaryFolder whole, cut;
  const auto make = [](const TemporaryFolder& folder) {
    return data::range(20).shuffle(20, {.seed = 3}).cache(folder / "cache").repeat(3);
  };
  Iterator uncut = make(whole).iterator();
  const auto all = rest_of(uncut);
  ASSERT_EQ(all.size(), 60u);
  std::string saved;
  {
    Iterator first = make(cut).iterator();
    rest_of(first, 7);
    saved = first.save();
  }
  ASSERT_FALSE(io::exists(cut / "cache"));
  Iterator second = make(cut).iterator(saved);
  EXPECT_EQ(rest_of(second), std::vector<std::string>(all.begin() + 7, all.end()));
  EXPECT_EQ(io::read_file(cut / "cache"), io::read_file(whole / "cache"));
}

// With a checksum that fits, so that the parts after it are reached.
TEST(IteratorState, DamagedStatesAreErrorsOrOtherPlaces) {
  std::mt19937_64 random(11);
  for (const Case& each : cases()) {
    Iterator iterator = each.build().iterator();
    rest_of(iterator, 5);
    const std::string state = iterator.save();
    EXPECT_CONTAINS(error_of([&] {
                      std::string bad = state;
                      bad[bad.size() / 2] = static_cast<char>(bad[bad.size() / 2] ^ 1);
                      each.build().iterator(bad);
                    }),
                    "DataLoss");
    if (std::string_view(each.name) == "generator") continue;  // a large count is called for
    for (int trial = 0; trial < 60; ++trial) {
      std::string bad = state;
      if (trial % 4 == 0) {
        bad.resize(random() % bad.size());
      } else {
        const size_t at = 8 + random() % (bad.size() - 12);
        bad[at] = trial % 4 == 1 ? '\xff' : static_cast<char>(random());
      }
      try {
        Iterator restored = each.build().iterator(with_checksum(bad));
        rest_of(restored, 30);
      } catch (const Error&) {
      }
    }
  }
}

// A counter at the end of its type would overflow with the next element.
TEST(IteratorState, CountersThatCannotCountOnAreDamage) {
  const auto same = [](const Literal& x) { return x; };
  const std::vector<Case> counting{
      {"map", [=] { return data::range(20).map(same); }},
      {"parallel map", [=] { return data::range(20).map(same, {.num_parallel_calls = 2}); }},
      {"filter", [] { return data::range(20).filter([](const Literal&) { return true; }); }},
      {"enumerate", [] { return data::range(20).enumerate(); }},
      {"batch", [] { return data::range(20).batch(2); }},
      {"shard", [] { return data::range(20).shard(2, 0); }},
      {"repeat", [] { return data::range(20).repeat(2); }},
      {"flat_map", [] { return data::range(20).flat_map(range_of); }},
      {"rejection_resample",
       [] { return data::range(20).rejection_resample([](const Example&) { return 0; }, {1.0}); }},
  };
  for (const Case& each : counting) {
    Iterator iterator = each.build().iterator();
    rest_of(iterator, 5);
    const std::string state = iterator.save();
    int refused = 0;
    for (size_t at = 8; at + 12 <= state.size(); ++at) {
      std::string bad = state;
      constexpr int64_t last = INT64_MAX;
      std::memcpy(bad.data() + at, &last, sizeof last);
      const std::string error = error_of([&] { each.build().iterator(with_checksum(bad)); });
      refused += error.find("9223372036854775807 outside of") != std::string::npos &&
                 error.find("to 4611686018427387904") != std::string::npos;
    }
    EXPECT_GE(refused, 1) << each.name;
  }
}

}  // namespace
}  // namespace systolic
