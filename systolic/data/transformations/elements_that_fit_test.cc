// Elements, options and declared types that do not fit together: each names both sides.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "systolic/base/test_errors.h"
#include "systolic/data/dataset.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"

namespace systolic {
namespace {

using data::Dataset;

int64_t read_all(const Dataset& dataset) {
  int64_t count = 0;
  for (const Example& element : dataset) count += element.empty() ? 0 : 1;
  return count;
}

// 1, 2, 3, 1, … numbers long.
std::function<std::optional<Example>()> rows() {
  return [i = int64_t{0}]() mutable -> std::optional<Example> {
    if (i == 6) return std::nullopt;
    return Example{{"tokens", Literal::filled(DType::i64, {i % 3 + 1}, 7)},
                   {"row", Literal::scalar<int64_t>(i++)}};
  };
}

TEST(ElementsThatFit, DatasetsThatBecomeOneHaveOneKindOfElement) {
  const Dataset numbers = data::range(2), other = data::range(2).enumerate();
  const Dataset floats = data::from_tensor_slices(Example{{"value", Literal::of<float>({1, 2})}});
  EXPECT_CONTAINS(error_of([&] { read_all(numbers.concatenate(floats)); }),
                  "InvalidArgument: concatenate at ");
  EXPECT_CONTAINS(error_of([&] { read_all(numbers.concatenate(floats)); }),
                  "one dataset has {value: i64}, another {value: f32}, expected the same names "
                  "and types in the same order.\n  hint: give both one form with a map before it");
  EXPECT_CONTAINS(error_of([&] { read_all(numbers.concatenate(other)); }),
                  "another {index: i64, value: i64}");
  EXPECT_CONTAINS(error_of([&] {
                    read_all(data::sample_from_datasets({numbers, floats}));
                  }),
                  "sample_from_datasets at ");
  const Dataset turns = data::range(2).repeat();
  EXPECT_CONTAINS(error_of([&] {
                    read_all(data::choose_from_datasets({numbers, floats}, turns));
                  }),
                  "another {value: f32}");
  // Shapes may differ, as in tf.data.
  const auto of_length = [](int64_t n) {
    return data::from_tensors(Example{{"x", Literal::zeros(DType::f32, {n})}});
  };
  EXPECT_EQ(read_all(of_length(2).concatenate(of_length(3))), 2);
  EXPECT_EQ(read_all(data::range(0).concatenate(floats)), 2);
  // What the first dataset had is not forgotten by a saved iterator.
  data::Iterator iterator = numbers.concatenate(floats).iterator();
  iterator.next();
  iterator.next();
  data::Iterator resumed = numbers.concatenate(floats).iterator(iterator.save());
  EXPECT_CONTAINS(error_of([&] { resumed.next(); }), "another {value: f32}");
}

TEST(ElementsThatFit, ChoicesAreNumbersOfDatasets) {
  const auto choose = [](const Dataset& choices) {
    return error_of([&] { read_all(data::choose_from_datasets({data::range(3)}, choices)); });
  };
  EXPECT_CONTAINS(choose(data::from_tensor_slices(Literal::of<float>({0}))),
                  "choices of {x: f32()}, expected integer scalars");
  EXPECT_CONTAINS(choose(data::range(4).batch(2)), "choices of {value: i64(2,)}");
  EXPECT_CONTAINS(choose(data::range(1, 2)), "the choice 1, expected 0 to 0, the number of one of");
}

TEST(ElementsThatFit, PaddingIsOfArraysThatAreThere) {
  const Dataset tokens = data::from_generator(rows);
  const auto padded = [&](data::PaddedBatchOptions options) {
    return error_of([&] { read_all(tokens.padded_batch(3, std::move(options))); });
  };
  EXPECT_CONTAINS(padded({.padded_shapes = {{"token", {4}}}}),
                  "padded_shapes of 'token', which the elements do not have, expected tokens, "
                  "row.\n  hint: did you mean 'tokens'");
  EXPECT_CONTAINS(padded({.padding_values = {{"token", Literal::scalar<int64_t>(0)}}}),
                  "padding_values of 'token'");
  EXPECT_CONTAINS(padded({.padding_values = {{"tokens", Literal::scalar(0.5f)}}}),
                  "the padding value of 'tokens' is f32() 0.5, expected one number of i64");
  EXPECT_EQ(padded({.padding_values = {{"tokens", Literal::scalar(-1.0f)}}}), "no error");
  constexpr int64_t large = (int64_t{1} << 60) + 1;  // no double
  const Example batch =
      tokens.padded_batch(3, {.padding_values = {{"tokens", Literal::scalar(large)}}}).first();
  EXPECT_EQ(batch["tokens"].integer_at(1), large);
}

TEST(ElementsThatFit, BucketsThatArePaddedToTheirBoundariesDiffer) {
  const auto length = [](const Example& e) { return e["tokens"].size(); };
  const auto buckets = [&](std::vector<int64_t> boundaries, std::vector<int64_t> sizes) {
    return data::from_generator(rows).bucket_by_sequence_length(
        length, std::move(boundaries), std::move(sizes), {.pad_to_bucket_boundary = true});
  };
  EXPECT_EQ(to_string(buckets({2, 5}, {2, 2, 2}).element_spec()),
            "{tokens: i64(-1, -1), row: i64(-1,)}");
  EXPECT_CONTAINS(error_of([&] { read_all(buckets({}, {4})); }), "an element of at least 0");
}

TEST(ElementsThatFit, AGeneratorGivesWhatItsSignatureSays) {
  const data::ElementSpec signature{{"tokens", {-1}, DType::i64}, {"row", {}, DType::i64}};
  const Dataset good = data::from_generator(rows, {.output_signature = signature});
  EXPECT_EQ(good.element_spec(), signature);
  EXPECT_EQ(to_string(good.batch(2, {.drop_remainder = true}).element_spec()),
            "{tokens: i64(2, -1), row: i64(2,)}");
  EXPECT_EQ(read_all(good), 6);
  const auto with = [](data::ElementSpec spec) {
    return error_of(
        [&] { read_all(data::from_generator(rows, {.output_signature = std::move(spec)})); });
  };
  EXPECT_CONTAINS(with({{"tokens", {1}, DType::i64}, {"row", {}, DType::i64}}),
                  "element 1: {tokens: i64(2,), row: i64()}, expected {tokens: i64(1,), row: "
                  "i64()}, the output_signature");
  EXPECT_CONTAINS(with({{"tokens", {-1}, DType::i32}, {"row", {}, DType::i64}}), "element 0: ");
  EXPECT_CONTAINS(with({{"tokens", {-1}, DType::i64}}), "element 0: ");
  EXPECT_CONTAINS(with({{"tokens", {-1, -1}, DType::i64}, {"row", {}, DType::i64}}), "element 0: ");
}

TEST(ElementsThatFit, RangesAreCountedWithoutOverflow) {
  constexpr int64_t least = std::numeric_limits<int64_t>::min();
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_CONTAINS(error_of([] { data::range(least, most); }), "InvalidArgument: range(");
  EXPECT_EQ(data::range(least, most, most).cardinality(), 3);
  EXPECT_EQ(data::range(most, least, least).cardinality(), 2);
  EXPECT_EQ(data::range(least, 0, 2).cardinality(), int64_t{1} << 62);
}

TEST(ElementsThatFit, FaultsOfFilesNameTheLineOfTheSource) {
  const TemporaryFolder folder;
  io::write_file(folder / "x.tfrec", "no records at all");
  io::write_file(folder / "x.csv", "length,width\n1,2\n");
  const auto named = [&](const Dataset& dataset) { return error_of([&] { read_all(dataset); }); };
  const auto here = [](int line) { return str("elements_that_fit_test.cc:", line); };
  EXPECT_CONTAINS(named(data::tfrecords(folder / "x.tfrec").batch(2)), here(__LINE__));
  const std::vector<data::CsvColumn> columns{{"length", DType::f32}, {"width", DType::f32}};
  const std::string headed = named(data::csv({folder / "x.csv"}, columns).prefetch(2));
  EXPECT_CONTAINS(headed, here(__LINE__ - 1));
  EXPECT_CONTAINS(headed,
                  "line 1: 'length' is 'length', expected f32.\n  hint: pass {.header = true}");
  io::write_file(folder / "y.csv", "1,\n");
  EXPECT_CONTAINS(named(data::csv({folder / "y.csv"}, columns)),
                  "'width' is missing, expected a value.\n  hint: give the column a default_value");
  EXPECT_CONTAINS(named(data::fixed_length_records({folder / "y.csv"}, 2)), here(__LINE__));
  read_all(data::range(3).cache(folder / "cache"));
  EXPECT_CONTAINS(named(data::range(4).cache(folder / "cache")), here(__LINE__));
}

}  // namespace
}  // namespace systolic
