// The rows and classes of `datasets` (golden/make_table_splits.py).
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "systolic/base/test_errors.h"
#include "systolic/datasets/tables/table.h"
#include "systolic/io/files/file.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

using datasets::Table;
using SplitsJson = nlohmann::json;

const SplitsJson& splits_golden() {
  static const SplitsJson golden = SplitsJson::parse(
      io::read_file(test::source_path("systolic/datasets/golden/table_splits.json")));
  return golden;
}

Table squares(int64_t rows, int64_t classes) {
  std::vector<int64_t> numbers, labels;
  for (int64_t i = 0; i < rows; ++i) {
    numbers.push_back(i);
    labels.push_back((i * i + i / 3) % classes);
  }
  return Table(
      Example{{"n", Literal::from(numbers, {rows})}, {"label", Literal::from(labels, {rows})}});
}

void expect_rows(const Table& part, const SplitsJson& wanted) {
  const auto rows = part["n"].array().data<int64_t>();
  ASSERT_EQ(rows.size(), wanted["count"].get<size_t>());
  int64_t sum = 0;
  for (const int64_t row : rows) sum = (sum * 31 + row) % 1'000'003;
  EXPECT_EQ(sum, wanted["sum"].get<int64_t>());
  for (size_t i = 0; i < wanted["first"].size(); ++i)
    EXPECT_EQ(rows[i], wanted["first"][i].get<int64_t>()) << i;
}

TEST(TableSplitsGolden, PartsHaveTheRowsOfDatasets) {
  for (const SplitsJson& each : splits_golden()["splits"]) {
    SCOPED_TRACE(each.dump().substr(0, 150));
    const Table table = squares(each["rows"], each["classes"]).class_encode_column("label");
    const datasets::TrainTestSplit options{
        .test_size = each["test_size"],
        .train_size = each.value("train_size", 0.0),
        .shuffle = each.value("shuffle", true),
        .seed = each["seed"],
        .stratify_by_column = each.value("stratify_by_column", "")};
    if (each.contains("error")) {
      EXPECT_CONTAINS(error_of([&] { table.train_test_split(options); }), "InvalidArgument");
      continue;
    }
    const datasets::TableParts parts = table.train_test_split(options);
    expect_rows(parts["train"], each["train"]);
    expect_rows(parts["test"], each["test"]);
  }
}

TEST(TableSplitsGolden, ShufflesHaveItsOrder) {
  for (const SplitsJson& each : splits_golden()["shuffles"]) {
    SCOPED_TRACE(each.dump().substr(0, 150));
    expect_rows(squares(each["rows"], 2).shuffle(each["seed"].get<uint64_t>()), each);
  }
}

Literal values_of(const SplitsJson& values) {
  if (values[0].is_string()) return Literal::strings(values.get<std::vector<std::string>>());
  std::vector<int64_t> numbers;
  for (const SplitsJson& value : values)
    numbers.push_back(value.is_boolean() ? value.get<bool>() : value.get<int64_t>());
  const Literal array = Literal::from(numbers, {std::ssize(numbers)});
  return values[0].is_boolean() ? array.convert(DType::pred) : array;
}

TEST(TableSplitsGolden, ClassesHaveItsNumbers) {
  for (const SplitsJson& each : splits_golden()["classes"]) {
    SCOPED_TRACE(each.dump());
    const Table table = Table(Example{{"x", values_of(each["values"])}}).class_encode_column("x");
    EXPECT_EQ(table["x"].class_names(), each["names"].get<std::vector<std::string>>());
    const auto wanted = each["encoded"].get<std::vector<int64_t>>();
    EXPECT_EQ(table["x"].array(), Literal::from(wanted, {std::ssize(wanted)}));
  }
  const Table numbers(Example{{"x", Literal::of<float>({1, 2})}});
  expect_parts(
      error_of([&] { numbers.class_encode_column("x"); }),
      {"class_encode_column of 'x', got f32(2,), expected a text", "table_splits_golden_test.cc:"});
  expect_parts(
      error_of([&] { numbers.train_test_split({.test_size = 1, .stratify_by_column = "x"}); }),
      {"stratify_by_column 'x' is f32(2,)", "class_encode_column(\"x\")"});
}

}  // namespace
}  // namespace systolic
