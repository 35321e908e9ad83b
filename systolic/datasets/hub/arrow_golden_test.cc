// Parquet and Arrow files as pyarrow and `datasets` write them (golden/make_arrow.py).
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "systolic/base/test_errors.h"
#include "systolic/datasets/load_dataset.h"
#include "systolic/io/arrow/arrow_file.h"
#include "systolic/io/arrow/arrow_program.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

using datasets::Table;
using nlohmann::json;

std::string arrow_golden(const std::string& name) {
  return test::source_path("systolic/datasets/golden/") + name;
}

class ArrowGolden : public testing::Test {
 protected:
  void SetUp() override {
    if (!io::has_arrow()) GTEST_SKIP() << "this build has no Arrow";
  }
  const json values_ = json::parse(io::read_file(arrow_golden("arrow.json")));
};

TEST_F(ArrowGolden, MetadataOfAFolderOfPictures) {
  const json wanted = json::parse(io::read_file(arrow_golden("media_folder.json")));
  const Table table =
      datasets::load_dataset("imagefolder", {.data_dir = arrow_golden("media_folder")})["train"];
  EXPECT_EQ(table.column_names(),
            (std::vector<std::string>{"caption", "image", "stars", "boxes", "place.x", "place.y"}));
  ASSERT_EQ(table.num_rows(), static_cast<int64_t>(wanted.size()));
  for (int64_t i = 0; i < table.num_rows(); ++i) {
    const json& row = wanted[static_cast<size_t>(i)];
    const Literal picture = table["image"][i];
    const Shape size{row["image"][1].get<int64_t>(), row["image"][0].get<int64_t>(), 1};
    EXPECT_EQ(picture.shape(), size);
    EXPECT_EQ(picture.integer_at(0), row["image"][2].get<int64_t>());
    EXPECT_EQ(table["caption"].strings()[static_cast<size_t>(i)],
              row["caption"].is_null() ? "" : row["caption"].get<std::string>());
    EXPECT_EQ(table["stars"][i].integer_at(0), row["stars"].get<int64_t>());
    EXPECT_EQ(table["place.y"][i].integer_at(0), row["place"]["y"].get<int64_t>());
    const Literal boxes = table["boxes"][i];
    ASSERT_EQ(boxes.size(), static_cast<int64_t>(row["boxes"].size()));
    for (int64_t j = 0; j < boxes.size(); ++j)
      EXPECT_EQ(boxes.number_at(j), row["boxes"][static_cast<size_t>(j)].get<double>());
  }
}

TEST_F(ArrowGolden, MetadataThatNameNoFilesAreRefused) {
  const TemporaryFolder folder;
  put_file(folder / "metadata.parquet", io::read_file(arrow_golden("arrow/none.parquet")));
  EXPECT_CONTAINS(
      error_of([&] { datasets::load_dataset("imagefolder", {.data_dir = folder / ""})["train"]; }),
      "has no column 'file_name'");
  put_file(folder / "metadata.parquet", "PAR1");
  EXPECT_THROW(datasets::load_dataset("imagefolder", {.data_dir = folder / ""})["train"], Error);
}

// The values of a row below a path of members, lists one after the other.
void collect(const json& value, std::string_view path, std::vector<json>& found) {
  if (value.is_array()) {
    for (const json& item : value) collect(item, path, found);
  } else if (value.is_object()) {
    const std::string_view member = path.substr(0, path.find('.'));
    const size_t rest = std::min(member.size() + 1, path.size());
    collect(value[std::string(member)], path.substr(rest), found);
  } else {
    found.push_back(value);
  }
}

std::string hex_of(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    for (const int digit : {(c >> 4) & 15, c & 15}) text += "0123456789abcdef"[digit];
  }
  return text;
}

void expect_value(const Literal& row, int64_t i, const json& value) {
  if (row.dtype() == DType::string) {
    const std::string text = value.is_null() ? "" : value.get<std::string>();
    EXPECT_TRUE(row.string_at(i) == text || hex_of(row.string_at(i)) == text) << text;
  } else if (value.is_null()) {
    EXPECT_TRUE(std::isnan(row.number_at(i)));
  } else {
    EXPECT_EQ(row.number_at(i),
              value.is_boolean() ? double(value.get<bool>()) : value.get<double>());
  }
}

void expect_column(const Table& table, const std::string& name, const json& rows) {
  const size_t dot = name.find('.');
  for (int64_t i = 0; i < table.num_rows(); ++i) {
    SCOPED_TRACE(str(name, ", row ", i));
    std::vector<json> wanted;
    const json& row = rows[static_cast<size_t>(i)];
    const bool is_list = table[name][i].rank() > 0;
    if (!(is_list && row.is_null()))
      collect(row, dot == name.npos ? "" : std::string_view(name).substr(dot + 1), wanted);
    if (row.is_null() && is_list) wanted.clear();
    const Literal got = table[name][i];
    ASSERT_EQ(got.size(), static_cast<int64_t>(wanted.size()));
    for (int64_t j = 0; j < got.size(); ++j) expect_value(got, j, wanted[static_cast<size_t>(j)]);
  }
}

void expect_golden(const Table& table, const json& values) {
  EXPECT_EQ(table.num_rows(), 7);
  for (const auto& [name, rows] : values.items()) {
    if (name == "time" || name == "day") continue;
    bool found = false;
    for (const std::string& column : table.column_names()) {
      if (column.substr(0, column.find('.')) != name) continue;
      expect_column(table, column, rows);
      found = true;
    }
    EXPECT_TRUE(found) << name;
  }
  for (int64_t i = 0; i < 7; ++i) {
    EXPECT_EQ(table["time"][i].item<int64_t>(), 1577836800000000 + 1000000 * i);
    EXPECT_EQ(table["day"][i].item<int32_t>(), i);
  }
}

TEST_F(ArrowGolden, EachTypeInEachFormAndCompression) {
  for (const char* name : {"none.parquet", "snappy.parquet", "zstd.parquet", "gzip.parquet",
                           "lz4.parquet", "brotli.parquet", "file.arrow", "stream.arrow"}) {
    SCOPED_TRACE(name);
    const std::string kind = std::string(name).ends_with("arrow") ? "arrow" : "parquet";
    const Table table =
        datasets::load_dataset(kind, {.data_files = arrow_golden(str("arrow/", name))})["train"];
    expect_golden(table, values_);
  }
}

TEST_F(ArrowGolden, TypesShapesAndRowSplits) {
  const Table table = datasets::load_dataset(
      "parquet", {.data_files = arrow_golden("arrow/zstd.parquet")})["train"];
  const std::pair<const char*, DType> types[] = {
      {"truth", DType::pred},  {"i8", DType::i8},          {"u16", DType::u16},
      {"i64", DType::i64},     {"gaps", DType::f64},       {"f16", DType::f16},
      {"f32", DType::f32},     {"f64", DType::f64},        {"nothing", DType::f64},
      {"kind", DType::string}, {"number_kind", DType::i32}};
  for (const auto& [name, dtype] : types) EXPECT_EQ(table[name].array().dtype(), dtype) << name;
  EXPECT_EQ(table["pair"].array().shape(), (Shape{7, 2}));
  EXPECT_EQ(table["boxes"][5].shape(), (Shape{2, 2}));
  EXPECT_EQ(table["boxes"][5], Literal::of<int32_t>({{5, 0}, {5, 1}}));
  EXPECT_EQ(table["lists"][3], Literal::of<int64_t>({0, 0, 1}));
  EXPECT_EQ(table["lists_row_splits"][3], Literal::of<int64_t>({0, 0, 1, 3}));
  EXPECT_EQ(table["messages.content"][1], Literal::strings({"question 0", "question 1"}));
}

TEST_F(ArrowGolden, ColumnsFilesAndPatterns) {
  const std::vector<std::string> two = {arrow_golden("arrow/zstd.parquet"),
                                        arrow_golden("arrow/none.parquet")};
  const auto columns = std::vector<std::string>{"f64", "text"};
  const auto both =
      datasets::load_dataset("parquet", {.data_files = {{"all", two}}, .columns = columns})["all"];
  EXPECT_EQ(both.column_names(), (std::vector<std::string>{"text", "f64"}));
  EXPECT_EQ(both.num_rows(), 14);
  EXPECT_EQ(both["text"][13], Literal::scalar("xxxxxx"));
  const auto pattern = datasets::load_dataset(
      "parquet", {.data_files = arrow_golden("arrow/[gs]*.parquet"), .columns = columns});
  EXPECT_EQ(pattern["train"].num_rows(), 14);
  EXPECT_EQ(pattern["train[10:]"].num_rows(), 4);
  const auto wrong =
      datasets::load_dataset("parquet", {.data_files = two[0], .columns = {{"txt"}}});
  expect_parts(error_of([&] { wrong["train"]; }),
               {"DataLoss", "zstd.parquet", "no column 'txt', expected some of: text, large_text"});
  const auto streamed = datasets::load_dataset(
      "arrow", {.data_files = arrow_golden("arrow/stream.arrow"), .columns = {{"i64"}}});
  EXPECT_EQ(streamed["train"].column_names(), (std::vector<std::string>{"i64"}));
}

TEST_F(ArrowGolden, RowsAreStreamed) {
  for (const char* name : {"gzip.parquet", "file.arrow", "stream.arrow"}) {
    SCOPED_TRACE(name);
    std::vector<std::string> columns;
    for (const auto& each : values_.items()) {
      if (each.key() != "gaps" && each.key() != "answers") columns.push_back(each.key());
    }
    const std::string file = arrow_golden(str("arrow/", name));
    const auto tables = datasets::load_dataset("parquet", {.data_files = file, .columns = columns});
    const Table table = tables["train"];
    const data::Dataset rows = tables.stream("train");
    int64_t i = 0;
    for (const Example& row : rows) {
      EXPECT_EQ(row.names(), table.column_names());
      for (const auto& [column, value] : row) {
        const bool numbers = value.dtype() != DType::string && is_float(value.dtype());
        EXPECT_EQ(value.shape(), table[column][i].shape()) << column;
        // NaN equals nothing.
        EXPECT_TRUE(numbers || value == table[column][i]) << column;
      }
      ++i;
    }
    EXPECT_EQ(i, 7);
    EXPECT_EQ(rows.repeat(2).padded_batch(14).first()["i64"].shape(), (Shape{14}));
    const auto gaps =
        datasets::load_dataset("parquet", {.data_files = file, .columns = {{"gaps"}}});
    expect_parts(error_of([&] { gaps.stream("train").batch(7).first(); }),
                 {"DataLoss", "column 'gaps', i64, holds null", "where it becomes f64"});
  }
}

TEST_F(ArrowGolden, PicturesSoundsAndClasses) {
  const auto tables =
      datasets::load_dataset("parquet", {.data_files = arrow_golden("arrow/media.parquet")});
  const Table table = tables["train"];
  EXPECT_EQ(table.column_names(),
            (std::vector<std::string>{"image", "audio", "audio.sampling_rate", "label"}));
  EXPECT_EQ(table["image"][2], Literal::filled(DType::u8, {2, 3, 3}, 20));
  EXPECT_EQ(table["audio"][0], Literal::from(std::vector<float>{0, 0.5f, -0.5f}, {3, 1}));
  EXPECT_EQ(table["audio.sampling_rate"][1].item<int64_t>(), 8001);
  EXPECT_EQ(table["label"].class_names(), (std::vector<std::string>{"dull", "fine"}));
  EXPECT_EQ(table.select({2, 0})["label"].class_names().size(), 2u);
  const Example row = tables.stream("train").first();
  EXPECT_EQ(row.names(), table.column_names());
  EXPECT_EQ(row["image"].shape(), (Shape{2, 3, 3}));
}

TEST_F(ArrowGolden, WhatSaveToDiskWrote) {
  const auto saved = datasets::load_dataset(arrow_golden("arrow/saved"));
  EXPECT_EQ(saved.split_names(), (std::vector<std::string>{"test", "train"}));
  EXPECT_EQ(saved["train"]["text"].strings(), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(saved["test"]["label"].array(), Literal::of<int64_t>({1}));
  EXPECT_EQ(saved["test"]["label"].class_names(), (std::vector<std::string>{"no", "yes"}));
  const auto one = datasets::load_dataset(arrow_golden("arrow/saved/test"));
  EXPECT_EQ(one.split_names(), (std::vector<std::string>{"train"}));
}

TEST_F(ArrowGolden, WhatIsNotReadIsSaid) {
  const std::string decimals = arrow_golden("arrow/decimal.parquet");
  const auto tables = datasets::load_dataset("parquet", {.data_files = decimals});
  expect_parts(
      error_of([&] { tables["train"]; }),
      {"Unimplemented", "decimal.parquet", "column 'price' is decimal128(3, 2)", ".columns"});
  const auto rest = datasets::load_dataset("parquet", {.data_files = decimals, .columns = {{"n"}}});
  EXPECT_EQ(rest["train"]["n"].array(), Literal::of<int64_t>({1}));
  const auto endless =
      datasets::load_dataset("arrow", {.data_files = arrow_golden("arrow/endless.arrow")});
  expect_parts(error_of([&] { endless["train"]; }),
               {"ResourceExhausted", "endless.arrow' holds a table of more than", "stream it"});
  expect_parts(error_of([&] {
                 io::ArrowFile file(arrow_golden("arrow/endless.arrow"));
                 while (file.next()) continue;
               }),
               {"DataLoss", "rows in 224 bytes"});
  expect_parts(error_of([] { datasets::load_dataset("parquet"); }),
               {"load_dataset(\"parquet\") without files",
                ".data_files = {{\"train\", \"mine.parquet\"}}", ".data_dir"});
}

}  // namespace
}  // namespace systolic
