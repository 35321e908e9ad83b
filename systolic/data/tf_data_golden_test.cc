// Transformations against tf.data: tests/golden/make_datasets.py wrote what it gives, for the same
// pipelines under the same names.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "systolic/base/test_errors.h"
#include "systolic/data/arrays/array_ops.h"
#include "systolic/data/dataset.h"
#include "systolic/io/files/test_files.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

using data::Dataset;
using Json = nlohmann::json;

int64_t number(const Example& e) { return e.only().item<int64_t>(); }
Literal rows(const Literal& n) {
  return Literal::filled(DType::i64, {n.item<int64_t>()}, n.item<double>());
}
Dataset ragged(int64_t stop) { return data::range(stop).map(rows); }
Dataset stepped(const Example& e) {
  const int64_t n = number(e);
  return data::range(10 * n, 10 * n + 3 + n % 2);
}
int64_t length(const Example& e) { return e.only().shape()[0]; }
Dataset buckets(data::BucketOptions options = {}) {
  return ragged(9).repeat(2).bucket_by_sequence_length(length, {3, 5}, {2, 2, 3}, options);
}
std::function<Dataset(const Dataset&)> batched(int64_t size) {
  return [size](const Dataset& window) { return window.batch(size); };
}
Dataset numbers(std::initializer_list<int64_t> values) {
  return data::from_tensor_slices(Literal::of<int64_t>(values));
}
Dataset chosen(bool stop_on_empty) {
  return data::choose_from_datasets({data::range(3), data::range(10, 20)},
                                    numbers({0, 1, 1, 0, 0, 1, 0, 1, 1}), stop_on_empty);
}
Literal as_strings(const Literal& x) {
  std::vector<std::string> texts;
  for (int64_t i = 0; i < x.size(); ++i) texts.push_back(std::to_string(x.integer_at(i)));
  return Literal::strings(texts);
}
Literal block(const Literal& n) {
  const int64_t size = n.item<int64_t>();
  return Literal::filled(DType::i64, {size, 4 - size}, static_cast<double>(size));
}
std::pair<Example, Example> sum_and_product(const Example& state, const Example& e) {
  const int64_t before = number(state), x = number(e);
  return {Example{{"state", Literal::scalar<int64_t>(before + x)}},
          Example{{"product", Literal::scalar<int64_t>(before * x)}}};
}

class TfDataGolden : public ::testing::Test {
 protected:
  std::string file(const std::string& name, std::string_view content) const {
    put_file(folder_ / name, std::string(content));
    return folder_ / name;
  }
  std::map<std::string, Dataset> pipelines() const;
  TemporaryFolder folder_;
};

std::map<std::string, Dataset> TfDataGolden::pipelines() const {
  const std::string lines = file("lines.txt", "first\nsecond\r\n\nlast without end"),
                    more = file("more.txt", "a\nb\n"),
                    records = file("records.bin", "HEADabcdefghijFOOT"),
                    table =
                        file("table.csv", "name,x,n\n\"a, \"\"b\"\"\",1.5,3\nplain,,4\n,2.25,\n");
  const auto mod3 = [](const Example& e) { return number(e) % 3; };
  return {
      {"interleave", data::range(5).interleave(stepped, {.cycle_length = 2, .block_length = 2})},
      {"interleave, cycle 3", data::range(7).interleave(stepped, {.cycle_length = 3})},
      {"flat_map", data::range(4).flat_map(stepped)},
      {"window", data::range(7).window(3).flat_map(batched(3))},
      {"window, shifted",
       data::range(7).window(3, {.shift = 1, .drop_remainder = true}).flat_map(batched(3))},
      {"window, stride", data::range(11).window(3, {.shift = 2, .stride = 2}).flat_map(batched(4))},
      {"window, gaps", data::range(12).window(2, {.shift = 5}).flat_map(batched(2))},
      {"group_by_window",
       data::range(13).group_by_window(
           mod3, [](int64_t, const Dataset& window) { return window.batch(10); }, 2)},
      {"padded_batch", ragged(6).padded_batch(4)},
      {"padded_batch, shape and value",
       ragged(6).padded_batch(4, {.padded_shapes = {{"value", {7}}},
                                  .padding_values = {{"value", Literal::scalar<int64_t>(-1)}},
                                  .drop_remainder = true})},
      {"padded_batch, strings",
       ragged(4)
           .map(as_strings)
           .padded_batch(2, {.padding_values = {{"value", Literal::scalar("none")}}})},
      {"padded_batch, two axes", data::range(1, 4).map(block).padded_batch(3)},
      {"buckets", buckets()},
      {"buckets, dropped", buckets({.drop_remainder = true})},
      {"buckets to boundaries", ragged(5).bucket_by_sequence_length(
                                    length, {3, 7}, {2, 2, 2}, {.pad_to_bucket_boundary = true})},
      {"unbatch", ragged(4).unbatch()},
      {"scan", data::range(6).scan({{"state", Literal::scalar<int64_t>(10)}}, sum_and_product)},
      {"unique", numbers({3, 1, 3, 2, 1, 7}).unique()},
      {"choose", chosen(true)},
      {"choose, beyond the end", chosen(false)},
      {"text lines", data::text_lines({lines, more})},
      {"fixed length records",
       data::fixed_length_records({records, records}, 5, {.header_bytes = 4, .footer_bytes = 4})},
      {"csv", data::csv({table},
                        {{"name", DType::string, Literal::scalar("none")},
                         {"x", DType::f32, Literal::scalar(0.0F)},
                         {"n", DType::i64, Literal::scalar<int64_t>(9)}},
                        {.header = true})},
      {"csv, selected", data::csv({table},
                                  {{"name", DType::string, Literal::scalar("?")},
                                   {"n", DType::i64, Literal::scalar<int64_t>(-1)}},
                                  {.header = true, .select_cols = {0, 2}})},
      {"skip, take, shard", data::range(20).skip(3).shard(4, 2).take(3).repeat(2)},
  };
}

Json as_json(const Literal& array) {
  Json values = Json::array(), shape = Json::array();
  for (int axis = 0; axis < array.rank(); ++axis) shape.push_back(array.shape()[axis]);
  for (int64_t i = 0; i < array.size(); ++i) {
    if (array.dtype() == DType::string) {
      values.push_back(std::string(array.string_at(i)));
    } else {
      values.push_back(array.number_at(i));
    }
  }
  return {{"shape", shape}, {"values", values}};
}

Json elements_of(const Dataset& dataset) {
  Json elements = Json::array();
  for (const Example& element : dataset) {
    Json arrays = Json::array();
    for (const auto& [name, array] : element) arrays.push_back(as_json(array));
    elements.push_back(arrays);
  }
  return elements;
}

TEST_F(TfDataGolden, EveryPipelineGivesWhatTfDataGives) {
  std::ifstream file(test::source_path("tests/golden/data/datasets.json"));
  const Json golden = Json::parse(file);
  const auto ours = pipelines();
  EXPECT_EQ(golden["cases"].size(), ours.size());
  for (const Json& wanted : golden["cases"]) {
    const auto found = ours.find(wanted["name"].get<std::string>());
    ASSERT_NE(found, ours.end()) << wanted["name"];
    EXPECT_EQ(elements_of(found->second), wanted["elements"]) << wanted["name"];
  }
}

TEST_F(TfDataGolden, WhatFilesHoldWrongIsNamed) {
  const std::string table = file("bad.csv", "x,n\n1,2\n3,\n");
  const auto columns = std::vector<data::CsvColumn>{{"x", DType::f32}, {"n", DType::i32}};
  const auto all = [](const Dataset& dataset) { return error_of([&] { elements_of(dataset); }); };
  EXPECT_CONTAINS(all(data::csv({table}, columns, {.header = true})),
                  "bad.csv', line 3: 'n' is missing");
  EXPECT_CONTAINS(all(data::csv({table}, columns)), "line 1: 'x' is 'x', expected f32");
  EXPECT_CONTAINS(all(data::csv({table}, {{"x", DType::f32}}, {.header = true})),
                  "line 2: 2 fields, expected 1");
  // A header's names are checked where they would be mixed up.
  EXPECT_CONTAINS(all(data::csv({table}, {{"n", DType::i32}, {"x", DType::f32}}, {.header = true})),
                  "line 1: column 0 is headed 'x', expected 'n'.\n  hint: columns are taken in "
                  "order, and 'n' is column 1");
  EXPECT_CONTAINS(
      all(data::csv({table}, {{"n", DType::i32}}, {.header = true, .select_cols = {0}})),
      "line 1: column 0 is headed 'x', expected 'n'");
  EXPECT_CONTAINS(all(data::csv({file("t.csv", "x,n\n1,two\n")},
                                {{"first", DType::f32}, {"second", DType::i32}}, {.header = true})),
                  "line 2: 'second' is 'two', expected i32.\n  hint: columns are taken in order: "
                  "the header calls this one 'n'");
  EXPECT_CONTAINS(all(data::csv({file("q.csv", "\"open")}, {{"x", DType::string}})),
                  "a quoted field that does not end");
  EXPECT_CONTAINS(error_of([&] { data::csv({table}, {}); }), "csv with 0 columns");
  EXPECT_CONTAINS(all(data::fixed_length_records({file("r", "abcdefg")}, 3)),
                  "1 bytes after its last record, expected a footer of 0");
  EXPECT_CONTAINS(error_of([&] { data::text_lines({folder_ / "none"}); }), "NotFound");
}

}  // namespace
}  // namespace systolic
