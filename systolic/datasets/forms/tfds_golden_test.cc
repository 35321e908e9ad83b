// A data set with every kind of feature, as TensorFlow Datasets wrote it and reads it:
// golden/make_tfds.py says how. And which elements its texts of splits ask for.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "systolic/base/test_errors.h"
#include "systolic/datasets/load.h"
#include "systolic/datasets/load_dataset.h"
#include "systolic/datasets/source.h"
#include "systolic/io/encoding/base64.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/records/tf_example.h"
#include "systolic/io/records/tfrecord_reader.h"
#include "systolic/io/records/tfrecord_writer.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string golden = test::source_path("systolic/datasets/golden/");

datasets::LoadedDataset load(bool supervised = false, const std::string& folder = golden + "tfds") {
  return datasets::load("things",
                        {.split = "train", .as_supervised = supervised, .data_dir = folder});
}

json value_at(const Literal& array, int64_t i) {
  const auto at = static_cast<size_t>(i);
  if (array.dtype() == DType::string) return io::base64(array.string_at(i));
  if (array.dtype() == DType::u64) return array.data<uint64_t>()[at];
  if (array.dtype() == DType::pred) return array.integer_at(i) != 0;
  if (is_float(array.dtype())) return array.number_at(i);
  return array.integer_at(i);
}

json json_of(const Literal& array) {
  json values = json::array();
  for (int64_t i = 0; i < array.size(); ++i) values.push_back(value_at(array, i));
  return {{"shape", array.shape().to_vector()}, {"values", values}};
}

TEST(TfdsGolden, EveryKindOfFeature) {
  const json wanted = json::parse(io::read_file(golden + "things.json"));
  size_t row = 0;
  for (const Example& element : load().dataset) {
    json got = json::object();
    for (const auto& [name, array] : element) got[name] = json_of(array);
    EXPECT_EQ(got, wanted.at(row)) << "element " << row;
    ++row;
  }
  EXPECT_EQ(row, wanted.size());
}

// The splits that a text asks for, as golden/make_splits.py has them of tfds: [name, begin, end],
// or null where it refuses.
json parts_of(const std::string& text, const json& lengths) {
  datasets::SplitSizes sizes;
  for (const auto& [name, shards] : lengths.items()) sizes.names.push_back(name);
  std::sort(sizes.names.rbegin(), sizes.names.rend());  // train, test
  const auto examples = [&](const std::string& name) {
    const auto shards = lengths.at(name).get<std::vector<int64_t>>();
    return std::accumulate(shards.begin(), shards.end(), int64_t{0});
  };
  sizes.size_of = [&](const std::string& name) {
    if (!lengths.contains(name)) raise<NotFound>({.what = name});
    return datasets::SplitSize{examples(name), lengths.at(name)};
  };
  json parts = json::array();
  try {
    for (const datasets::SplitPart& part : datasets::split_parts(text, sizes, {})) {
      const int64_t count = part.count < 0 ? sizes.size_of(part.name).examples : part.count;
      parts.push_back({part.name, part.begin, part.begin + count});
    }
  } catch (const Error&) {
    return nullptr;
  }
  return parts;
}

TEST(TfdsGolden, SplitsAreCutAlike) {
  for (const json& each : json::parse(io::read_file(golden + "splits.json"))) {
    for (const auto& [text, wanted] : each["parts"].items())
      EXPECT_EQ(parts_of(text, each["sizes"]), wanted) << text << " of " << each["sizes"];
  }
}

TEST(TfdsGolden, TypesShapesAndClassNames) {
  const datasets::DatasetInfo info = load().info;
  const auto form = [&](const char* name) {
    const datasets::FeatureInfo& feature = info.feature(name);
    return str(feature.dtype, feature.shape, " ", feature.sequence_rank);
  };
  EXPECT_EQ(form("tokens"), "i32(-1,) 1");
  EXPECT_EQ(form("pair"), "f32(2,) 1");
  EXPECT_EQ(form("objects/bbox"), "f32(-1, 4) 1");
  EXPECT_EQ(form("boxes"), "f32(-1, -1, 4) 2");
  EXPECT_EQ(form("deep"), "string(-1, -1, -1) 3");
  EXPECT_EQ(form("raw"), "i16(-1, -1) 0");
  EXPECT_EQ(form("video"), "u8(-1, 2, 2, 3) 1");
  using Names = std::vector<std::string>;
  EXPECT_EQ(info.feature("tags").class_names, (Names{"a", "b", "c"}));
  EXPECT_EQ(info.feature("objects/label").class_names, (Names{"cat", "dog"}));
  EXPECT_EQ(info.feature("boxes").row_split_names(), (Names{"boxes_row_splits"}));
}

TEST(TfdsGolden, SupervisedKeysMayNameGroups) {
  EXPECT_EQ(load(true).dataset.first().names(),
            (std::vector<std::string>{"who/age", "who/name", "objects/bbox", "objects/crowd",
                                      "objects/label"}));
}

TEST(TfdsGolden, IsATableOfTheSame) {
  const datasets::Table table =
      datasets::load_dataset("things", {.data_dir = golden + "tfds"})["train"];
  EXPECT_EQ(table.num_rows(), 3);
  EXPECT_EQ(table["nested"][2], Literal::of<int64_t>({1, 2, 3}));
  EXPECT_EQ(table["nested_row_splits"][2], Literal::of<int64_t>({0, 2, 2, 3}));
  EXPECT_EQ(table["frames"][2].shape(), (Shape{2, 2, 2, 1}));
}

// A copy of the data set whose last record is changed.
std::string changed(const TemporaryFolder& folder, const std::function<void(Example&)>& change) {
  fs::copy(golden + "tfds", folder / "tfds", fs::copy_options::recursive);
  const std::string path = folder / "tfds/things/1.0.0/things-train.tfrecord-00000-of-00001";
  io::TFRecordReader reader(golden + "tfds/things/1.0.0/things-train.tfrecord-00000-of-00001");
  std::vector<Example> records;
  for (std::string_view record; reader.next(record);) records.push_back(io::decode_example(record));
  change(records.back());
  io::TFRecordWriter writer(path);
  for (const Example& record : records) writer.write(record);
  writer.close();
  return folder / "tfds";
}

TEST(TfdsGolden, WhatDoesNotFitNamesTheFeature) {
  struct Row {
    const char* stored;
    Literal value;
    const char* part;
  };
  const Row table[] = {
      {"nested/ragged_row_lengths_0", Literal::of<int64_t>({2, 0, 2}),
       "feature 'nested' has a row of 2, expected 3 values in its rows"},
      {"nested/ragged_row_lengths_0", Literal::of<int64_t>({2, 0}),
       "feature 'nested' has rows of 2 values, expected 3"},
      {"nested/ragged_row_lengths_0", Literal::of<int64_t>({-1}),
       "feature 'nested' has a row of -1"},
      {"deep/ragged_row_lengths_0", Literal::of<int64_t>({INT64_MAX, 1}), "feature 'deep'"},
      {"objects/bbox", Literal::of<float>({1, 2, 3}), "feature 'objects/bbox' holds 3 values"},
      {"pair", Literal::of<float>({1, 2, 3}), "feature 'pair' holds 3 values"},
      {"packed", Literal::strings({"no zlib"}), "feature 'packed' is cut short or damaged"},
      {"masks", Literal::strings({"12345", "1234"}), "feature 'masks' holds 5 values"},
      {"raw/value", Literal::strings({"123"}), "feature 'raw' has 3 bytes"},
      {"raw/shape", Literal::of<int64_t>({-1, 6}), "feature 'raw' has an axis of -1"},
      {"raw/shape", Literal::of<int64_t>({INT64_MAX, INT64_MAX}), "feature 'raw' holds 6 values"},
      {"frames", Literal::strings({"no picture"}), "map"},
  };
  for (const Row& row : table) {
    const TemporaryFolder folder;
    const std::string there =
        changed(folder, [&](Example& record) { record.set(row.stored, row.value); });
    const std::string error = error_of([&] {
      for (const Example& element : load(false, there).dataset) static_cast<void>(element);
    });
    EXPECT_NE(error.find(row.part), std::string::npos) << row.part << " in:\n" << error;
  }
}

TEST(TfdsGolden, FilesMayHaveNamesOfTheirOwn) {
  const TemporaryFolder folder;
  fs::copy(golden + "tfds", folder / "tfds", fs::copy_options::recursive);
  const std::string version = folder / "tfds/things/1.0.0/";
  fs::rename(version + "things-train.tfrecord-00000-of-00001", version + "00000.train.of.00001");
  const auto with = [&](const std::string& name, const std::string& format) {
    io::write_file(version + "dataset_info.json",
                   str(R"({"name": "things", "version": "1.0.0", "fileFormat": ")", format,
                       R"(", "splits": [{"name": "train", "shardLengths": [3],
                            "filepathTemplate": ")",
                       name, R"("}]})"));
    return error_of([&] { EXPECT_EQ(load(false, folder / "tfds").dataset.cardinality(), 3); });
  };
  EXPECT_EQ(with("{SHARD_INDEX}.{SPLIT}.of.{NUM_SHARDS}", "tfrecord"), "no error");
  EXPECT_CONTAINS(with("../{SPLIT}", "tfrecord"), "the filepathTemplate '../{SPLIT}'");
  EXPECT_CONTAINS(with("{SPLIT}", "array_record"), "has files of 'array_record'");
}

}  // namespace
}  // namespace systolic
