// Datasets: options of the transformations, and what functions of elements may be.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/systolic.h"
#include "tests/examples/matches.h"

namespace systolic {
namespace {

using data::Dataset;

// The numbers of a dataset, element after element.
std::vector<double> all_of(const Dataset& dataset) {
  std::vector<double> found;
  for (const Example& element : dataset)
    for (const double number : numbers(element.only())) found.push_back(number);
  return found;
}

TEST(DataExamples, OptionsOfTransformations) {
  const data::MapOptions in_order{.num_parallel_calls = 2, .deterministic = true};
  const auto square = [](int64_t x) { return x * x; };
  EXPECT_EQ(all_of(data::range(4).map(square, in_order)), (std::vector<double>{0, 1, 4, 9}));

  const data::BatchOptions whole{.drop_remainder = true};
  EXPECT_EQ(all_of(data::range(5).batch(2, whole)), (std::vector<double>{0, 1, 2, 3}));

  const data::IgnoreErrorsOptions quietly{.log_warning = false};
  const auto refuse_one = [](int64_t x) {
    if (x == 1) throw std::runtime_error("one");
    return x;
  };
  EXPECT_EQ(all_of(data::range(3).map(refuse_one).ignore_errors(quietly)),
            (std::vector<double>{0, 2}));

  const data::WindowOptions overlapping{.shift = 1, .drop_remainder = true};
  const data::Windows windows = data::range(4).window(3, overlapping);
  const auto whole_window = [](const Dataset& window) { return window.batch(3); };
  EXPECT_EQ(all_of(windows.flat_map(whole_window)), (std::vector<double>{0, 1, 2, 1, 2, 3}));
}

TEST(DataExamples, SeveralDatasetsInTurns) {
  const data::SampleOptions first_only{.weights = {1.0, 0.0}, .stop_on_empty_dataset = true};
  const Dataset few = data::range(2), many = data::range(9);
  EXPECT_EQ(all_of(data::sample_from_datasets({few, many}, first_only)),
            (std::vector<double>{0, 1}));
  const data::InterleaveOptions two_in_turns{.cycle_length = 2, .block_length = 1};
  const auto ten_times = [](int64_t x) {
    return data::range(2).map([x](int64_t y) { return 10 * x + y; });
  };
  EXPECT_EQ(all_of(data::range(2).interleave(ten_times, two_in_turns)),
            (std::vector<double>{0, 10, 1, 11}));
}

TEST(DataExamples, ElementsAndTheirTypes) {
  const Example element{{"x", Literal::of<float>({1, 2})}, {"y", Literal::scalar(int64_t{3})}};
  const data::ElementSpec spec = data::spec_of(element);
  EXPECT_EQ(spec.front(), (data::TensorSpec{"x", {2}, DType::f32}));
  EXPECT_TRUE(data::fits(element, spec));
  EXPECT_FALSE(data::fits({{"x", Literal::of<float>({1, 2})}}, spec));
}

TEST(DataExamples, OneElementAfterTheOther) {
  data::Iterator iterator = data::range(2).iterator();
  EXPECT_EQ(data::next(iterator).only().item<int64_t>(), 0);
  EXPECT_EQ(data::next(iterator).only().item<int64_t>(), 1);
  EXPECT_THROW(data::next(iterator), FailedPrecondition);

  data::ElementIterator place(data::range(2).iterator());
  ++place;
  EXPECT_EQ(place->only().item<int64_t>(), 1);
}

TEST(DataExamples, LengthsWithLittlePadding) {
  EXPECT_EQ(data::padding_share(75, 100), 0.25);
  const std::vector<int64_t> lengths = {3, 4, 30, 32};
  const data::LengthBucketOptions two{.buckets = 2, .multiple = 4};
  const data::LengthBuckets found = data::length_buckets(lengths, two);
  EXPECT_EQ(found.lengths, (std::vector<int64_t>{4, 32}));
  EXPECT_EQ(found.padded_tokens, 4 + 4 + 32 + 32);
}

TEST(DataExamples, PathsOfFiles) {
  const data::Paths one = "train.tfrecord";
  data::Paths several = {"a.csv", "b.csv"};
  EXPECT_EQ(data::Paths(one).release(), (std::vector<std::string>{"train.tfrecord"}));
  EXPECT_EQ(several.release().size(), 2U);
}

TEST(DataExamples, FilesOfTextAndRecords) {
  const std::string table = testing::TempDir() + "examples_of_tables.csv";
  std::ofstream(table) << "a;b\n1;2\n3;4\n";
  const data::CsvOptions with_names{.header = true, .field_delim = ';'};
  std::vector<double> rows;
  for (const Example& row : data::csv(table, {{.name = "a"}, {.name = "b"}}, with_names)) {
    rows.push_back(numbers(row["a"]).front());
    rows.push_back(numbers(row["b"]).front());
  }
  EXPECT_EQ(rows, (std::vector<double>{1, 2, 3, 4}));

  const data::ListFilesOptions sorted{.shuffle = false};
  int files = 0;
  for (const Example& file : data::list_files(table, sorted)) {
    EXPECT_EQ(file.only().bytes(), table);
    ++files;
  }
  EXPECT_EQ(files, 1);

  const data::FixedLengthOptions after_header{.header_bytes = 4};
  std::vector<std::string> records;
  for (const Example& record : data::fixed_length_records(table, 4, after_header))
    records.emplace_back(record.only().bytes());
  EXPECT_EQ(records, (std::vector<std::string>{"1;2\n", "3;4\n"}));

  const std::string packed = testing::TempDir() + "examples_of_records.tfrecord.gz";
  io::TFRecordWriter writer(packed, {.compression = io::Compression::gzip});
  writer.write("one");
  writer.close();
  const data::TFRecordOptions unpacks{.compression = io::Compression::gzip};
  for (const Example& record : data::tfrecords(packed, unpacks))
    EXPECT_EQ(record.only().bytes(), "one");
}

TEST(DataExamples, RecordsAreParsedByTheirFeatures) {
  const data::ParseExample parse = data::parse_example(
      {FeatureSpec{.name = "x", .feature = FixedLenFeature{.dtype = DType::i64}}});
  EXPECT_THROW(parse(Literal::scalar("not a record")), Error);
}

TEST(DataExamples, FunctionsOfElements) {
  const auto of_numbers = [](float x, int64_t y) { return x * static_cast<float>(y); };
  const auto of_element = [](const Example& element) { return element; };
  const auto of_array = [](const Literal& x) { return x; };
  const auto of_pair = [](const Literal& x, const Literal& y) { return std::pair(x, y); };
  using Numbers = decltype(of_numbers);
  static_assert(data::HasArguments<Numbers> && data::TakesValues<Numbers>);
  static_assert(std::is_same_v<data::ArgumentsOf<Numbers>, std::tuple<float, int64_t>>);
  static_assert(
      std::is_same_v<data::ArgumentsOfFunction<Numbers>::types, std::tuple<float, int64_t>>);
  static_assert(data::all_values<std::tuple<float, std::string>> && data::ValueOf<float>::known);
  static_assert(data::takes_element<decltype(of_element)> && data::takes_array<decltype(of_array)>);
  static_assert(data::takes_pair<decltype(of_pair)> && data::takes_something<decltype(of_pair)>);
  static_assert(data::OneResult<float> && data::ElementResult<Literal>);
  static_assert(data::is_tuple_of_results<std::tuple<float, Literal>>);

  const Example element{{"x", Literal::scalar(2.f)}, {"y", Literal::scalar(int64_t{3})}};
  const data::ElementFunction multiply = data::element_function(of_numbers);
  expect_numbers(numbers(multiply(element).only()), {6});
  const data::ElementPredicate is_small =
      data::element_predicate([](float x, int64_t) { return x < 3; });
  EXPECT_TRUE(is_small(element));
  data::check_array_count(element, 2);
  EXPECT_THROW(data::check_array_count(element, 1), InvalidArgument);
}

TEST(DataExamples, ResultsTakeTheNamesOfTheElement) {
  const Example element{{"pixels", Literal::scalar(2.f)}};
  const Example renamed = data::named_result(element, data::literal_result(5.f));
  expect_numbers(numbers(renamed["pixels"]), {5});
  EXPECT_EQ(data::named_results(element, {Literal::scalar(1.f), Literal::scalar(2.f)}).size(), 2U);
  const auto rethrow = [] {
    try {
      throw std::runtime_error("no such picture");
    } catch (...) {
      data::rethrow_naming_element("map", SourceLocation::current(), 7);
    }
  };
  EXPECT_THROW(rethrow(), FunctionFailed);
  EXPECT_THROW(data::raise_other_types(element, {"i64()"}), InvalidArgument);
  EXPECT_THROW(data::raise_ragged(1, 3, 2, SourceLocation::current()), InvalidArgument);
}

TEST(ArrayExamples, ArraysOfTheHostWithIntegers) {
  static_assert(HostIntegral<int> && !HostIntegral<bool>);
  const Literal x = Literal::of<int32_t>({6, 8});
  const HostInteger two = host_integer(2);
  expect_numbers(numbers(plus_integer(x, two)), {8, 10});
  expect_numbers(numbers(minus_integer(x, two)), {4, 6});
  expect_numbers(numbers(times_integer(x, two)), {12, 16});
  expect_numbers(numbers(over_integer(x, two)), {3, 4});
  expect_numbers(numbers(integer_minus(two, x)), {-4, -6});
  expect_numbers(numbers(integer_over(two, x)), {2 / 6.0, 0.25});
}

TEST(DatasetExamples, WhatAFolderSaysOfItsSplits) {
  const datasets::DatasetInfo info{
      .name = "letters",
      .version = "1.0.0",
      .splits = {datasets::SplitInfo{.name = "train", .num_examples = 26}}};
  EXPECT_EQ(info.split("train").num_examples, 26);
  EXPECT_THROW(info.split("test"), NotFound);
  EXPECT_THROW(datasets::read_dataset_info(testing::TempDir() + "no_such_dataset"), Error);
}

}  // namespace
}  // namespace systolic
