// Transformations that tf.data's values cannot settle: random ones, files of elements, errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_numbers.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"

namespace systolic {
namespace {

using data::Dataset;

Numbers sorted(Numbers values) {
  std::sort(values.begin(), values.end());
  return values;
}

TEST(Transformations, SamplesComeInTheirDatasetsOrderAndAsOftenAsWeighed) {
  const Dataset mixed = data::sample_from_datasets(
      {data::range(10'000), data::range(10'000, 20'000)}, {.weights = {1, 3}, .seed = 4});
  const Numbers all = numbers(mixed);
  EXPECT_EQ(sorted(all), counting(20'000));
  Numbers first, second;
  for (const int64_t n : all) (n < 10'000 ? first : second).push_back(n);
  EXPECT_EQ(first, counting(10'000));
  EXPECT_EQ(second, counting(20'000, 10'000));
  // A quarter of the first 4000, within five standard deviations (27 each).
  const auto ones =
      std::count_if(all.begin(), all.begin() + 4000, [](int64_t n) { return n < 10'000; });
  EXPECT_NEAR(static_cast<double>(ones), 1000, 137);
  const Dataset never =
      data::sample_from_datasets({data::range(5), data::range(9)}, {.weights = {1, 0}});
  EXPECT_EQ(numbers(never), counting(5));
  EXPECT_LT(numbers(data::sample_from_datasets({data::range(3), data::range(1000)},
                                               {.seed = 1, .stop_on_empty_dataset = true}))
                .size(),
            100u);
  EXPECT_CONTAINS(error_of([] { data::sample_from_datasets({data::range(3)}, {.weights = {0}}); }),
                  "one weight a dataset");
}

TEST(Transformations, ChoicesBeyondTheDatasetsAreNamed) {
  EXPECT_CONTAINS(
      error_of([] { numbers(data::choose_from_datasets({data::range(3)}, data::range(2))); }),
      "the choice 1, expected 0 to 0");
}

TEST(Transformations, ResamplingMovesTheClassesToTheTarget) {
  for (const auto& initial : std::vector<std::vector<double>>{{}, {0.9, 0.1}}) {
    const Dataset even = data::range(20'000).rejection_resample(
        [](const Example& e) { return e.only().item<int64_t>() % 10 == 0 ? 1 : 0; }, {0.5, 0.5},
        {.initial_dist = initial, .seed = 3});
    const Numbers classes = numbers(even);
    const auto ones = std::count(classes.begin(), classes.end(), 1);
    // All 2000 of the rare class but those lost while the estimate was rough; as many of the other,
    // within five standard deviations (42 each).
    EXPECT_NEAR(static_cast<double>(ones), 2000, 20);
    EXPECT_NEAR(static_cast<double>(classes.size()), 4000, 230);
  }
  EXPECT_CONTAINS(
      error_of([] {
        numbers(data::range(3).rejection_resample([](const Example&) { return 2; }, {0.5, 0.5}));
      }),
      "an element of class 2, expected 0 to 1");
}

TEST(Transformations, ResamplingThatFailsHandsOutWhatItKeptAndNamesTheElement) {
  const Dataset one_class = data::range(10).rejection_resample(
      [](const Example& e) -> int64_t {
        if (e.only().item<int64_t>() == 6) throw std::runtime_error("no class");
        return 0;
      },
      {1.0}, {}, {"a.cc", 3});
  data::Iterator iterator = one_class.iterator();
  for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(next(iterator).value(1).item<int64_t>(), i);
  EXPECT_CONTAINS(error_of([&] { iterator.next(); }),
                  "rejection_resample at a.cc:3, element 6: the function threw: no class");
}

TEST(Transformations, RaggedBatchesHoldRowsAndSplits) {
  const Dataset ragged = data::range(4).map([](const Example& e) {
    const int64_t n = e.only().item<int64_t>();
    return Example{{"tokens", Literal::filled(DType::i32, {n % 3}, static_cast<double>(n))},
                   {"label", e.only()}};
  });
  const Example batch = ragged.ragged_batch(4).first();
  EXPECT_EQ(batch["tokens"], Literal::of<int32_t>({1, 2, 2}));
  EXPECT_EQ(batch["tokens_row_splits"], Literal::of<int64_t>({0, 0, 1, 3, 3}));
  EXPECT_EQ(batch["label"], Literal::of<int64_t>({0, 1, 2, 3}));
  EXPECT_EQ(ragged.take(1).ragged_batch(4).first()["tokens"].shape(), Shape({0}));
}

TEST(Transformations, FilesOfElementsKeepThem) {
  const TemporaryFolder folder;
  const Dataset dataset = data::range(300).map([](const Literal& x) {
    return std::pair(x, Literal::scalar(std::to_string(x.item<int>())));
  });
  dataset.save(folder / "saved");
  const Dataset loaded = data::load(folder / "saved");
  EXPECT_EQ(numbers(loaded), counting(300));
  EXPECT_EQ(loaded.first(), dataset.first());
  EXPECT_EQ(to_string(loaded.element_spec()), to_string(dataset.element_spec()));
  EXPECT_CONTAINS(error_of([&] { data::load(folder / "none"); }), "NotFound: no saved dataset");
}

TEST(Transformations, CachesOnDiskAreWrittenOnceAndWhole) {
  const TemporaryFolder folder;
  const auto calls = std::make_shared<std::atomic<int>>(0);
  const auto slow = data::range(20).map([calls](const Literal& x) { return ++*calls, x; });
  for (const Dataset& cached : {slow.cache(folder / "cache"), slow.snapshot(folder / "snapshot")}) {
    *calls = 0;
    EXPECT_EQ(numbers(cached.take(3)), counting(3));  // not to the end: nothing is kept
    EXPECT_EQ(numbers(cached.repeat(2)).size(), 40u);
    EXPECT_LE(*calls, 20 + 3);
    EXPECT_EQ(numbers(cached), counting(20));
    EXPECT_LE(*calls, 20 + 3);
  }
  EXPECT_EQ(io::glob(folder / "cache*").size(), 1u);  // no part is left
  // Taken up in the middle of either pass.
  for (const char* name : {"cache", "other"}) {
    const Dataset cached = slow.cache(folder / name).repeat(2);
    data::Iterator iterator = cached.iterator();
    for (int i = 0; i < 7; ++i) iterator.next();
    data::Iterator restored = cached.iterator(iterator.save());
    for (int i = 7; i < 40; ++i) EXPECT_EQ(next(restored).only().item<int>(), i % 20);
    EXPECT_FALSE(restored.next());
  }
  // Other transformations before it, another snapshot.
  EXPECT_EQ(numbers(data::range(9).snapshot(folder / "snapshot")), counting(9));
}

TEST(Transformations, SnapshotsTellWhatIsReadApart) {
  const TemporaryFolder folder;
  const auto snapshot = [&](const Dataset& dataset) {
    return numbers(dataset.snapshot(folder / "snapshot"));
  };
  EXPECT_EQ(snapshot(data::range(3)), counting(3));
  EXPECT_EQ(snapshot(data::range(4)), counting(4));
  EXPECT_EQ(snapshot(data::from_tensor_slices(Literal::of<int64_t>({0, 1}))), counting(2));
  EXPECT_EQ(snapshot(data::from_tensor_slices(Literal::of<int64_t>({7, 8}))), (Numbers{7, 8}));
  const auto lengths = [&](const std::string& text) {
    put_file(folder / "lines.txt", text);
    return snapshot(data::text_lines({folder / "lines.txt"}).map([](const Literal& line) {
      return Literal::scalar<int64_t>(static_cast<int64_t>(line.bytes().size()));
    }));
  };
  EXPECT_EQ(lengths("a\nbb\n"), (Numbers{1, 2}));
  EXPECT_EQ(lengths("aaa\nbb\n"), (Numbers{3, 2}));
}

// Nor does a cache that is damaged, or a file that is none.
TEST(Transformations, CachesOfOthersAreNotTaken) {
  const TemporaryFolder folder;
  const std::string path = folder / "cache";
  EXPECT_EQ(numbers(data::range(5).cache(path)), counting(5));
  EXPECT_EQ(numbers(data::range(5).cache(path)), counting(5));
  const std::string hint = str("give this cache a path of its own; or, if '", path,
                               "' is an old one, delete it: the next pass writes it again");
  const CaughtLog log;  // the error says it, no warning does
  const auto refused = [&](const Dataset& dataset, const std::string& why) {
    const std::string error = error_of([&] { numbers(dataset.cache(path)); });
    EXPECT_CONTAINS(error, why);
    EXPECT_CONTAINS(error, hint);
  };
  refused(data::range(5).shuffle(5), str("FailedPrecondition: the cache '", path,
                                         "' was written by another pipeline, got 'elements of "
                                         "range: 5 of them; what is read there: "));
  refused(data::range(4), "expected 'elements of range: 4 of them; what is read there: ");
  refused(data::range(1, 6), "was written by another pipeline");  // other values, as many
  const std::string whole = io::read_file(path);
  put_file(path, whole.substr(0, whole.size() - 3));
  refused(data::range(5), "DataLoss: ");
  put_file(path, "");
  refused(data::range(5), "does not say which pipeline it is a cache of");
  put_file(path, "\xff\xd8\xff\xe0 no record at all");
  refused(data::range(5), "JPEG");
  data::range(5).save(folder / "saved");
  put_file(path, io::read_file(folder / "saved/elements.tfrec"));
  refused(data::range(5), "does not say which pipeline it is a cache of");
  EXPECT_EQ(log.lines(), "");
  EXPECT_CONTAINS(error_of([&] {
                    numbers(data::range(5).cache(folder / "none/cache", {"a.cc", 5}));
                  }),
                  str("NotFound: cache at a.cc:5: cannot create '", folder / "none/cache",
                      "': there is no folder '", folder / "none", "'.\n  hint: `mkdir -p '"));
  // Files that were moved, with all that is in them, are the same.
  const auto lines = [&](const std::string& name) {
    put_file(folder / name, "1\n2\n");
    return data::text_lines({folder / name})
        .map([](std::string_view line) { return static_cast<int64_t>(line.size()); })
        .cache(folder / "lengths");
  };
  EXPECT_EQ(numbers(lines("a.txt")), (Numbers{1, 1}));
  std::filesystem::create_directory(folder / "b");
  EXPECT_EQ(numbers(lines("b/a.txt")), (Numbers{1, 1}));
  EXPECT_CONTAINS(error_of([&] { numbers(lines("b.txt")); }), "written by another pipeline");
}

TEST(Transformations, WhatIsKeptOnDiskMayHaveAnyNumberOfArrays) {
  const TemporaryFolder folder;
  Example::Components columns;
  for (int64_t i = 0; i < 1200; ++i) columns.push_back({str("c", i), Literal::scalar(i)});
  const Example wide{columns};
  const Dataset cached = data::from_tensors(wide).cache(folder / "wide");
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (const Example& element : cached) EXPECT_EQ(element, wide);
    EXPECT_TRUE(io::exists(folder / "wide"));
  }
}

TEST(Transformations, WhatComesBeforeAnInputThatCannotBeOpenedIsDelivered) {
  const auto fails_at_2 = [](const Example& e) {
    const int64_t n = e.only().item<int64_t>();
    if (n == 2) throw std::runtime_error("bad luck");
    return data::range(10 * n, 10 * n + 3);
  };
  for (const int threads : {1, 2}) {
    const Dataset dataset = data::range(4).interleave(
        fails_at_2, {.cycle_length = 2, .block_length = 1, .num_parallel_calls = threads},
        {"a.cc", 7});
    Numbers before;
    try {
      for (const Example& element : dataset) before.push_back(element.only().item<int64_t>());
      ADD_FAILURE() << "the error is lost";
    } catch (const FunctionFailed& error) {
      EXPECT_CONTAINS(error.what(), "interleave at a.cc:7: the function threw: bad luck");
    }
    EXPECT_EQ(before, (Numbers{0, 10, 1, 11, 2, 12})) << threads;
  }
}

TEST(Transformations, CountsBeyondWhatIntegersHoldAreUnknown) {
  const int64_t most = INT64_MAX;
  EXPECT_EQ(data::range(3).repeat(most).cardinality(), data::unknown_cardinality);
  EXPECT_EQ(data::range(1).repeat(most).cardinality(), most);
  EXPECT_EQ(data::range(most).concatenate(data::range(1)).cardinality(), data::unknown_cardinality);
}

// A place that is not the local disk and has no folders: each file lies in one folder here.
class FlatFiles : public io::FileSystem {
 public:
  explicit FlatFiles(std::string folder) : folder_(std::move(folder)) {}
  std::unique_ptr<io::ReadableFile> open(const std::string& path, SourceLocation at) override {
    return disk_.open(local(path), at);
  }
  std::unique_ptr<io::WritableFile> create(const std::string& path, SourceLocation at) override {
    return disk_.create(local(path), at);
  }
  std::optional<io::FileStatus> status(const std::string& path, SourceLocation at) override {
    return disk_.status(local(path), at);
  }
  std::vector<std::string> glob(const std::string&, SourceLocation) override { return {}; }
  std::vector<std::string> list(const std::string&, size_t, SourceLocation) override { return {}; }
  void remove(const std::string& path, SourceLocation at) override {
    disk_.remove(local(path), at);
  }
  void rename(const std::string& from, const std::string& to, SourceLocation at) override {
    disk_.rename(local(from), local(to), at);
  }

 private:
  std::string local(std::string path) const {
    std::replace(path.begin(), path.end(), '/', '_');
    return folder_ + path;
  }
  const std::string folder_;
  io::FileSystem& disk_ = io::file_system("");
};

TEST(Transformations, ElementsAreKeptWhereverThePathLeads) {
  const TemporaryFolder folder;
  io::register_file_system("flat", std::make_shared<FlatFiles>(folder / ""));
  data::range(9).save("flat://a/saved");
  EXPECT_EQ(numbers(data::load("flat://a/saved")), counting(9));
  const auto calls = std::make_shared<std::atomic<int>>(0);
  const auto slow = data::range(20).map([calls](const Literal& x) { return ++*calls, x; });
  for (const Dataset& cached : {slow.cache("flat://a/cache"), slow.snapshot("flat://a/snapshot")}) {
    *calls = 0;
    EXPECT_EQ(numbers(cached), counting(20));
    EXPECT_EQ(numbers(cached), counting(20));
    EXPECT_LE(*calls, 20);
  }
  EXPECT_EQ(io::glob(folder / "flat:*").size(), 3u);
  EXPECT_FALSE(io::exists("flat:"));  // no folder of that name on the local disk
  EXPECT_CONTAINS(error_of([] { data::range(2).save("nowhere://a/b"); }), "Unimplemented");
  EXPECT_FALSE(io::exists("nowhere:"));
}

int64_t next_number(int64_t n) { return n + 1; }
bool is_even(int64_t n) noexcept { return n % 2 == 0; }

TEST(Transformations, FunctionsTakeValuesByTheirTypes) {
  const Dataset pairs =
      data::from_tensor_slices(Example{{"n", Literal::of<int64_t>({1, 2, 3})},
                                       {"name", Literal::strings({"a", "bc", ""})},
                                       {"v", Literal::of<float>({{1, 2}, {3, 4}, {5, 6}})}});
  const auto doubled = [](int64_t n, std::string_view name, std::span<const float> v) {
    return std::tuple(2 * n, str(name, "!"), v[0] + v[1]);
  };
  const Dataset mapped = pairs.map(doubled, {.num_parallel_calls = 2});
  EXPECT_EQ(to_string(mapped.first()), "{n: i64(), name: string(), v: f32()}");
  EXPECT_EQ(numbers(mapped), (Numbers{2, 4, 6}));
  const Example third = mapped.skip(2).first();
  EXPECT_EQ(third["name"].bytes(), "!");
  EXPECT_EQ(third["v"].item<float>(), 11);
  EXPECT_EQ(numbers(data::range(9).filter([](int64_t n) { return n % 4 == 0; })),
            (Numbers{0, 4, 8}));
  EXPECT_EQ(numbers(data::range(3).map([](int64_t n) { return n + 1; })), counting(4, 1));
  EXPECT_EQ(numbers(data::range(3).map([](int64_t n) noexcept { return n + 1; })), counting(4, 1));
  EXPECT_EQ(numbers(data::range(5).map(next_number).filter(is_even)), (Numbers{2, 4}));
  EXPECT_EQ(numbers(data::range(5).map(&next_number).filter(&is_even)), (Numbers{2, 4}));
  EXPECT_EQ(to_string(data::range(3).map([](int64_t n) { return std::pair(n, 0.5F); }).first()),
            "{x: i64(), y: f32()}");
  EXPECT_CONTAINS(error_of([] {
                    data::range(3).map([](float x) { return x; }, {}, {"a.cc", 7}).first();
                  }),
                  "map at a.cc:7, element 0: the function takes (f32()), the element is {value: "
                  "i64()}");
  EXPECT_CONTAINS(error_of([&] { pairs.map([](int64_t n, bool b) { return b ? n : 0; }).first(); }),
                  "takes (i64(), pred()), the element is {n: i64(), name: string(), v: f32(2,)}");
}

TEST(Transformations, RebatchJoinsAndSplitsBatches) {
  const Dataset sixes = data::range(14).batch(6);
  for (const int64_t size : {1, 4, 6, 9, 20}) {
    Numbers rows;
    int64_t left = 14;
    for (const Example& batch : sixes.rebatch(size)) {
      EXPECT_EQ(batch.only().shape()[0], std::min(size, left));
      left -= size;
      for (const int64_t n : batch.only().data<int64_t>()) rows.push_back(n);
    }
    EXPECT_EQ(rows, numbers(data::range(14)));
  }
  EXPECT_EQ(sixes.rebatch(4, {.drop_remainder = true}).element_spec()[0].shape, Shape({4}));
}

TEST(Transformations, WorkersShareFilesOrElements) {
  const TemporaryFolder folder;
  std::vector<std::string> files;
  for (int file = 0; file < 5; ++file) {
    files.push_back(folder / str("lines-", file));
    put_file(files.back(), str(10 * file, "\n", 10 * file + 1, "\n", 10 * file + 2, "\n"));
  }
  const Dataset lines = data::text_lines(files).map(
      [](std::string_view line) { return int64_t{std::stoll(std::string(line))}; });
  using Policy = data::AutoShardPolicy;
  EXPECT_EQ(numbers(lines.auto_shard(2, 1)), (Numbers{10, 11, 12, 30, 31, 32}));
  EXPECT_EQ(numbers(lines.auto_shard(2, 1, Policy::data)), numbers(lines.shard(2, 1)));
  EXPECT_EQ(numbers(lines.auto_shard(7, 1)), numbers(lines.shard(7, 1)));  // too few files
  EXPECT_EQ(numbers(lines.auto_shard(2, 1, Policy::off)), numbers(lines));
  EXPECT_EQ(numbers(data::range(9).auto_shard(2, 0)), (Numbers{0, 2, 4, 6, 8}));
  EXPECT_EQ(numbers(lines.auto_shard(2, 0).auto_shard(2, 1)), (Numbers{20, 21, 22}));
  for (const Policy policy : {Policy::automatic, Policy::file, Policy::data}) {
    Numbers all;
    for (int64_t worker = 0; worker < 3; ++worker)
      for (const int64_t n : numbers(lines.auto_shard(3, worker, policy))) all.push_back(n);
    EXPECT_EQ(sorted(all), numbers(lines));
  }
  data::Options options;
  options.experimental_distribute.auto_shard_policy = Policy::data;
  const Dataset by_element = lines.with_options(options);
  EXPECT_EQ(numbers(by_element.auto_shard(2, 1)), numbers(lines.shard(2, 1)));
  EXPECT_EQ(numbers(by_element.auto_shard(2, 1, Policy::file)), numbers(lines.auto_shard(2, 1)));
  EXPECT_CONTAINS(error_of([&] { lines.auto_shard(6, 0, Policy::file); }),
                  "auto_shard by file: 5 files, expected at least one a worker, of 6");
  EXPECT_CONTAINS(error_of([&] { lines.auto_shard(2, 2); }), "an index in [0, num_workers)");
  const Dataset half = lines.auto_shard(2, 0);
  data::Iterator iterator = half.iterator();
  for (int i = 0; i < 4; ++i) iterator.next();
  data::Iterator restored = half.iterator(iterator.save());
  EXPECT_EQ(next(restored).only().item<int>(), 21);
}

TEST(Transformations, WhatCannotWorkIsRefused) {
  const Dataset some = data::range(4);
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  const auto zero = [](const Example&) { return int64_t{0}; };
  const auto whole = [](int64_t, const Dataset& window) { return window; };
  EXPECT_CONTAINS(error_of([&] { some.window(0); }), "window(0)");
  EXPECT_CONTAINS(error_of([&] { some.window(most, {.stride = 2}); }), "at least 1 of each");
  EXPECT_CONTAINS(error_of([&] { some.window(2).flat_map(nullptr); }), "an empty function");
  EXPECT_CONTAINS(error_of([&] { some.flat_map(nullptr); }), "an empty function");
  EXPECT_CONTAINS(error_of([&] { some.group_by_window(zero, whole, 0); }), "a window of 0");
  EXPECT_CONTAINS(error_of([&] {
                    some.bucket_by_sequence_length(zero, {2, 2}, {1, 1, 1});
                  }),
                  "rising boundaries");
  EXPECT_CONTAINS(error_of([&] { some.padded_batch(0); }), "padded_batch(0)");
  EXPECT_CONTAINS(error_of([&] {
                    some.rejection_resample(zero, {0.5, 0.4});
                  }),
                  "of 0 or more for each class, all of them 1 in sum");
  EXPECT_CONTAINS(error_of([&] {
                    numbers(some.map([](const Literal&) { return Literal::zeros(DType::f32, {3}); })
                                .padded_batch(2, {.padded_shapes = {{"value", {2}}}}));
                  }),
                  "element 0: 'value' of shape (3,), expected at most the padded shape (2,)");
  EXPECT_CONTAINS(
      error_of([&] {
        numbers(some.padded_batch(2, {.padding_values = {{"value", Literal::scalar("x")}}}));
      }),
      "expected one number");
  EXPECT_CONTAINS(
      error_of([&] {
        numbers(some.scan(
            {}, [](const Example&, const Example&) -> std::pair<Example, Example> { throw 1; }));
      }),
      "element 0: the function threw");
}

}  // namespace
}  // namespace systolic
