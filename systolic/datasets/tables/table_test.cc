#include "systolic/datasets/tables/table.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <set>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/datasets/load_dataset.h"
#include "systolic/image/codecs/encode_jpeg.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"

namespace systolic {
namespace {

namespace fs = std::filesystem;
using datasets::Table;
using Numbers = std::vector<int64_t>;

Numbers numbers(const datasets::Column& column) {
  Numbers result;
  for (int64_t i = 0; i < column.size(); ++i) result.push_back(column[i].item<int64_t>());
  return result;
}

Table counting(int64_t rows) {
  Numbers values;
  std::vector<std::string> texts;
  for (int64_t i = 0; i < rows; ++i) {
    values.push_back(i);
    texts.push_back(std::string(static_cast<size_t>(i % 4), 'x'));
  }
  return Table(Example{{"text", Literal::strings(texts)}, {"n", Literal::from(values, {rows})}});
}

// As many numbers as the text has letters: rows differ in length.
Example ids(const Example& row) {
  return {{"ids", Literal::filled(DType::i64, {static_cast<int64_t>(row["text"].bytes().size())},
                                  static_cast<double>(row["n"].item<int64_t>()))}};
}

TEST(Table, ColumnsAreAccessedByName) {
  const Table table = counting(5);
  EXPECT_EQ(table["text"].strings(), (std::vector<std::string>{"", "x", "xx", "xxx", ""}));
  EXPECT_EQ(table["n"].array(), Literal::of<int64_t>({0, 1, 2, 3, 4}));
  EXPECT_EQ(to_string(table), "{text: string(), n: i64()}, 5 rows");
  EXPECT_EQ(str(table), to_string(table));
  const std::string wrong = error_of([&] { table["texts"]; });
  expect_parts(wrong, {"no column 'texts', expected one of: text, n", "did you mean 'text'",
                       "table_test.cc:"});
  EXPECT_CONTAINS(error_of([&] { table["n"][5]; }), "row 5 of a column, expected 0 to 4");
  EXPECT_CONTAINS(error_of([&] { table["n"].strings(); }), "the column is i64, expected strings");
  EXPECT_CONTAINS(
      error_of([] {
        Table(Example{{"a", Literal::of<int64_t>({1})}, {"b", Literal::of<int64_t>({})}});
      }),
      "column 'b' has 0 rows, expected 1, as 'a'");
}

TEST(Table, OneThatWasMovedFromHoldsOn) {
  Table table(Example{{"n", Literal::of<int32_t>({1, 2})}});
  const Table moved = std::move(table);
  EXPECT_EQ(to_string(table), to_string(moved));  // NOLINT
}

TEST(Table, ATableOfVeryManyColumnsIsMadeInTimeInProportion) {
  Table::Columns columns;
  for (int i = 0; i < 300'000; ++i)
    columns.emplace_back(str("k", i), datasets::Column(Literal::of<int64_t>({i})));
  EXPECT_EQ(Table(columns).column_names().size(), 300'000u);
  columns.emplace_back("k7", columns[0].second);
  EXPECT_CONTAINS(error_of([&] { Table{columns}; }), "two columns are named 'k7'");
}

TEST(Table, MapAddsColumnsOfAnyLength) {
  const Table mapped = counting(9).map(ids, {.num_parallel_calls = 3, .remove_columns = {"text"}});
  EXPECT_EQ(mapped.column_names(), (std::vector<std::string>{"n", "ids"}));
  EXPECT_EQ(mapped["ids"][3], Literal::of<int64_t>({3, 3, 3}));
  EXPECT_CONTAINS(error_of([&] { mapped["ids"].array(); }), "the rows differ in shape");
  EXPECT_EQ(mapped["n"].size(), 9);
  const Table doubled = counting(3).map([](const Example& row) {
    return Example{{"n", Literal::scalar<int64_t>(2 * row["n"].item<int64_t>())}};
  });
  EXPECT_EQ(numbers(doubled["n"]), (Numbers{0, 2, 4}));
  EXPECT_CONTAINS(error_of([] {
                    counting(3).map([](const Example& row) {
                      return Example{{row["n"].item<int64_t>() == 2 ? "a" : "b", row["n"]}};
                    });
                  }),
                  "the function makes {a} of row 2, expected {b}, as of row 0");
}

TEST(Table, MapKeepsItsColumnsInAFile) {
  const TemporaryFolder folder;
  const auto calls = std::make_shared<std::atomic<int>>(0);
  const auto counted = [calls](const Example& row) { return ++*calls, ids(row); };
  const std::string file = folder / "ids.tfrec";
  const auto map = [&](const Table& table, const std::string& fingerprint = "") {
    *calls = 0;
    const Table mapped =
        table.map(counted, {.cache_file_name = file, .new_fingerprint = fingerprint});
    EXPECT_EQ(mapped["ids"][3], Literal::of<int64_t>({3, 3, 3}));
    return calls->load() > 0;
  };
  EXPECT_TRUE(map(counting(8), "a"));
  EXPECT_FALSE(map(counting(8), "a"));
  EXPECT_TRUE(map(counting(9), "a"));  // another table
  EXPECT_TRUE(map(counting(9), "b"));  // said to be another function
  EXPECT_FALSE(map(counting(9), "b"));
  // What a lambda holds may have changed.
  const CaughtLog log;
  EXPECT_TRUE(map(counting(9)));
  EXPECT_TRUE(map(counting(9)));
  EXPECT_CONTAINS(log.lines(), "the function of map() holds values that cannot be compared");
  put_file(file, "damaged");
  EXPECT_CONTAINS(error_of([&] { map(counting(9), "b"); }), "DataLoss");
}

int calls_of_functions = 0;

Example doubled(const Example& row) {
  ++calls_of_functions;
  return {{"m", Literal::scalar<int64_t>(2 * row["n"].item<int64_t>())}};
}
Example halved(const Example& row) {
  ++calls_of_functions;
  return {{"m", Literal::scalar<int64_t>(row["n"].item<int64_t>() / 2)}};
}

TEST(Table, AnotherFunctionIsCalledAgain) {
  const TemporaryFolder folder;
  const datasets::TableMapOptions kept{.cache_file_name = folder / "m.tfrec"};
  const auto calls = [&](const auto& function, int64_t wanted) {
    calls_of_functions = 0;
    const Table mapped = counting(4).map(function, kept);
    EXPECT_EQ(mapped["m"][3].item<int64_t>(), wanted);
    return calls_of_functions;
  };
  EXPECT_EQ(calls(doubled, 6), 4);
  EXPECT_EQ(calls(doubled, 6), 0);
  EXPECT_EQ(calls(halved, 1), 4);  // of the same type
  const auto tripled = [](const Example& row) {
    ++calls_of_functions;
    return Example{{"m", Literal::scalar<int64_t>(3 * row["n"].item<int64_t>())}};
  };
  EXPECT_EQ(calls(tripled, 9), 4);
  EXPECT_EQ(calls(tripled, 9), 0);
}

TEST(Table, RowsAreChosenShuffledAndSplit) {
  const Table table = counting(40);
  EXPECT_EQ(numbers(table.select({3, 3, 0})["n"]), (Numbers{3, 3, 0}));
  EXPECT_EQ(
      numbers(table.filter([](const Example& e) { return e["n"].item<int64_t>() > 37; })["n"]),
      (Numbers{38, 39}));
  expect_parts(
      error_of([&] { table.filter([](const Example& e) { return e["m"].item<int64_t>() > 37; }); }),
      {"filter", "element 0", "no 'm'", "table_test.cc:"});
  EXPECT_EQ(table.rename_column("n", "label").column_names(),
            (std::vector<std::string>{"text", "label"}));
  for (const uint64_t seed : {0, 1}) {
    const auto parts = table.train_test_split({.test_size = 0.1, .seed = seed});
    Numbers all = numbers(parts["train"]["n"]), test = numbers(parts["test"]["n"]);
    EXPECT_EQ(test.size(), 4u);
    EXPECT_FALSE(std::is_sorted(all.begin(), all.end()));
    all.insert(all.end(), test.begin(), test.end());
    EXPECT_EQ(std::set<int64_t>(all.begin(), all.end()).size(), 40u);
    EXPECT_EQ(numbers(table.train_test_split({.test_size = 4, .seed = seed})["test"]["n"]), test);
    expect_parts(error_of([&] { parts["validation"]; }),
                 {"there is no part 'validation'", "test, train", "table_test.cc:"});
    expect_parts(error_of([&] { table["n"][40]; }), {"row 40 of a column", "table_test.cc:"});
  }
  EXPECT_EQ(numbers(table.train_test_split({.test_size = 2, .shuffle = false}).at("test")["n"]),
            (Numbers{38, 39}));
  for (const double size : {0.0, -1.0, 40.0, 1.5}) {
    EXPECT_CONTAINS(error_of([&] { table.train_test_split({.test_size = size}); }), "test_size");
  }
  EXPECT_EQ(table.dataset().batch(40).first()["n"], table["n"].array());
}

TEST(Table, DataSetsAreReadBySplitAndPart) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "glue/cola");
  put_file(folder / "glue/cola/train.tsv", "a b\t1\nc\t0\nd e\t1\nf\t1\n");
  const auto glue = datasets::load_dataset("glue", "cola", {.data_dir = folder / ""});
  EXPECT_EQ(glue.split_names(), (std::vector<std::string>{"train"}));
  EXPECT_EQ(glue["train"]["sentence"].strings(),
            (std::vector<std::string>{"a b", "c", "d e", "f"}));
  EXPECT_EQ(numbers(glue["train"]["label"]), (Numbers{1, 0, 1, 1}));
  EXPECT_EQ(glue["train[75%:]"]["sentence"].strings(), (std::vector<std::string>{"f"}));
  expect_parts(error_of([&] { glue["test"]; }),
               {"no split 'test', expected one of: train", "table_test.cc:"});
  EXPECT_CONTAINS(error_of([&] {
                    datasets::load_dataset("glue", "sst2",
                                           {.data_dir = folder / "", .download = false});
                  }),
                  "no data set 'glue/sst2'");
  const CaughtLog log;
  const std::map<std::string, std::string> mine = {{"mine", folder / "glue/cola/train.tsv"}};
  const auto named = datasets::load_dataset(
      "tsv", {.data_files = mine, .column_names = {"sentence", "label"}})["mine"];
  EXPECT_EQ(numbers(named["label"]), (Numbers{1, 0, 1, 1}));
  EXPECT_CONTAINS(error_of([&] {
                    datasets::load_dataset(
                        "tsv", {.data_files = mine, .column_names = {"sentence"}})["mine"];
                  }),
                  "2 columns and no line of names, expected 1: sentence");
  EXPECT_EQ(log.lines(), "");
  const auto files = datasets::load_dataset("tsv", {.data_files = mine});
  files["mine"];
  EXPECT_CONTAINS(log.lines(), "holds the number 1. Hint: load_dataset's {.column_names");
  EXPECT_EQ(files["mine"].column_names(), (std::vector<std::string>{"a b", "1"}));
  EXPECT_EQ(files["mine[:67%]"]["a b"].strings(), (std::vector<std::string>{"c", "d e"}));
  EXPECT_EQ(files["mine[2:]+mine[:1]"]["a b"].strings(), (std::vector<std::string>{"f", "c"}));
  EXPECT_CONTAINS(error_of([&] { files["other[:1]"]; }), "no split 'other', expected one of: mine");
  EXPECT_CONTAINS(error_of([&] {
                    datasets::load_dataset("csv", {.data_files = {{"t", "no.csv"}}});
                  }),
                  "NotFound");
}

TEST(Table, PicturesAreDecodedWhenARowIsAskedFor) {
  const TemporaryFolder folder;
  for (const int grey : {40, 90}) {
    fs::create_directories(folder / str("beans/train/", grey));
    put_file(folder / str("beans/train/", grey, "/x.jpg"),
             image::encode_jpeg(Literal::filled(DType::u8, {2, 3, 3}, grey)));
  }
  const Table train = datasets::load_dataset("beans", {.data_dir = folder / ""})["train"];
  EXPECT_EQ(train["image"][1].shape(), (Shape{2, 3, 3}));
  EXPECT_NEAR(static_cast<double>(train.select({1, 0})["image"][0].integer_at(0)), 90, 1);
  EXPECT_EQ(numbers(train["labels"]), (Numbers{0, 1}));  // as there; others have "label"
  EXPECT_EQ(io::read_file(train["image_file_path"][1]),
            io::read_file(folder / "beans/train/90/x.jpg"));
  EXPECT_CONTAINS(error_of([&] { io::read_file(train["labels"]); }), "expected one path");
  EXPECT_CONTAINS(error_of([&] { train["image"].array(); }), "a column of pictures");
  // A table is a pipeline of its rows, a column an array.
  const data::Dataset rows = train.remove_columns({"image"});
  EXPECT_EQ(rows.first()["labels"].item<int64_t>(), 0);
  const Example both =
      data::from_tensor_slices({Example{{"path", train["image_file_path"]}}, train["labels"]})
          .first();
  EXPECT_EQ(both.names(), (std::vector<std::string>{"path", "y"}));
}

}  // namespace
}  // namespace systolic
