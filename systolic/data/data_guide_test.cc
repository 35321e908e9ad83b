// The pipelines of TensorFlow's guide "tf.data: Build TensorFlow input pipelines"
// (tensorflow.org/guide/data), section by section.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "systolic/base/test_errors.h"
#include "systolic/data/arrays/array_ops.h"
#include "systolic/data/dataset.h"
#include "systolic/data/parse_example.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/records/tfrecord_writer.h"

namespace systolic {
namespace {

using data::Dataset;

std::vector<std::string> texts(const Dataset& dataset) {
  std::vector<std::string> all;
  for (const Example& element : dataset) all.push_back(to_string(element));
  return all;
}

TEST(DataGuide, BasicMechanics) {
  const Dataset dataset = data::from_tensor_slices(Literal::of<int64_t>({8, 3, 0, 8, 2, 1}));
  std::vector<int64_t> all;
  for (const Example& element : dataset) all.push_back(element.only().item<int64_t>());
  EXPECT_EQ(all, (std::vector<int64_t>{8, 3, 0, 8, 2, 1}));
  data::Iterator it = dataset.iterator();
  EXPECT_EQ(it.next()->only().item<int64_t>(), 8);
  EXPECT_EQ(dataset.reduce(int64_t{0}, [](int64_t state, int64_t value) { return state + value; }),
            22);
  EXPECT_CONTAINS(
      error_of([&] {
        dataset.reduce(0, [](int n, std::string_view) { return n; }, {"a.cc", 3});
      }),
      "reduce at a.cc:3, element 0: the function takes (string()), the element is {x: ");
  EXPECT_EQ(dataset.reduce(1, [](int count, const Example&) { return count + 1; }), 7);
}

TEST(DataGuide, Structure) {
  const Dataset dataset1 = data::from_tensor_slices(Literal::zeros(DType::f32, {4, 10}));
  const Dataset dataset2 = data::from_tensor_slices(
      {Literal::zeros(DType::f32, {4}), Literal::zeros(DType::i32, {4, 100})});
  const Dataset dataset3 = data::zip({dataset1, dataset2});
  EXPECT_EQ(to_string(dataset3.element_spec()), "{x: f32(10,), y: f32(), x2: i32(100,)}");
  for (const Example& element : dataset3) {
    EXPECT_EQ(element["x"].shape(), (Shape{10}));
    EXPECT_EQ(element["x2"].shape(), (Shape{100}));
  }
}

TEST(DataGuide, Generators) {
  const auto count = [](int64_t stop) {
    return [stop] {
      return [stop, i = int64_t{0}]() mutable -> std::optional<Example> {
        if (i == stop) return std::nullopt;
        return Example{{"i", Literal::scalar(i++)}};
      };
    };
  };
  const Dataset ds_counter = data::from_generator(count(25));
  std::vector<std::string> rows;
  for (const Example& batch : ds_counter.repeat().batch(10).take(3))
    rows.push_back(str(batch.only().integer_at(0), "-", batch.only().integer_at(9)));
  EXPECT_EQ(rows, (std::vector<std::string>{"0-9", "10-19", "20-4"}));
  const Dataset ds_series = ds_counter.map([](int64_t i) {
    return std::pair(Literal::scalar(i), Literal::zeros(DType::f32, {1 + i % 4}));
  });
  const Example padded = ds_series.shuffle(20).padded_batch(10).first();
  EXPECT_EQ(padded.value(1).shape()[0], 10);
}

TEST(DataGuide, TextLinesOfSeveralFiles) {
  const TemporaryFolder folder;
  for (const char* name : {"cowper", "derby", "butler"})
    put_file(folder / str(name, ".txt"), str(name, " 1\n", name, " 2\n"));
  EXPECT_EQ(texts(data::text_lines(io::glob(folder / "*.txt"))).size(), 6u);
  const Dataset files_ds = data::list_files(folder / "*.txt", {.shuffle = false});
  const Dataset lines_ds = files_ds.interleave(
      [](const std::string& path) { return data::text_lines(path); }, {.cycle_length = 3});
  std::string all;
  for (const Example& line : lines_ds) all += std::string(line.only().bytes()) + ",";
  EXPECT_EQ(all, "butler 1,cowper 1,derby 1,butler 2,cowper 2,derby 2,");

  put_file(folder / "titanic.csv", "survived,age\n0,22\n1,38\n0,35\n1,4\n");
  const auto survived = [](std::string_view line) { return line.substr(0, 1) != "0"; };
  const std::string titanic_file = folder / "titanic.csv";
  const Dataset titanic_lines = data::text_lines(titanic_file);
  EXPECT_EQ(texts(titanic_lines.skip(1).filter(survived)).size(), 2u);
  EXPECT_EQ(texts(data::text_lines(titanic_file.c_str())), texts(titanic_lines));
  EXPECT_EQ(texts(data::text_lines({titanic_file, titanic_file})).size(), 10u);
  EXPECT_EQ(texts(data::fixed_length_records(titanic_file, 8)).size(), 4u);
  const Dataset titanic =
      data::csv(titanic_file, {{"survived", DType::i32}, {"age", DType::f32}}, {.header = true});
  EXPECT_EQ(titanic.reduce(0.0f, [](float age, int32_t, float each) { return age + each; }), 99);
}

TEST(DataGuide, SetsOfFiles) {
  const TemporaryFolder folder;
  for (const char* name : {"daisy", "rose"}) {
    std::filesystem::create_directory(folder / name);
    for (int i = 0; i < 2; ++i) put_file(folder / str(name, "/", i, ".jpg"), str(name, i));
  }
  const Dataset list_ds = data::list_files(folder / "*/*", {.seed = 3});
  const auto process_path = [](const std::string& file_path) {
    const std::string label = std::filesystem::path(file_path).parent_path().filename();
    return std::pair(io::read_file(file_path), label);
  };
  const Dataset labeled_ds = list_ds.map(process_path);
  std::vector<std::string> orders;
  for (int epoch = 0; epoch < 20; ++epoch) {
    std::string order;
    for (const Example& e : labeled_ds) {
      EXPECT_EQ(e["x"].bytes().substr(0, 4), e["y"].bytes().substr(0, 4));
      order += std::string(e["x"].bytes());
    }
    orders.push_back(order);
  }
  EXPECT_NE(std::count(orders.begin(), orders.end(), orders.front()), 20);  // another each epoch
  EXPECT_CONTAINS(error_of([&] { data::list_files(folder / "*.png"); }), "NotFound");
}

TEST(DataGuide, BatchesAndTraining) {
  const Dataset inc_dataset = data::range(100), dec_dataset = data::range(0, -100, -1);
  const Dataset batched_dataset = data::zip({inc_dataset, dec_dataset}).batch(4);
  EXPECT_EQ(to_string(batched_dataset.element_spec()), "{x: i64(-1,), y: i64(-1,)}");
  EXPECT_EQ(batched_dataset.first()["y"].integer_at(3), -3);
  const Dataset filled = data::range(100).map(
      [](int64_t x) { return Literal::filled(DType::i64, {x}, static_cast<double>(x)); });
  EXPECT_EQ(filled.padded_batch(4).skip(1).first().only().shape(), (Shape{4, 7}));
  const Dataset shuffled = data::zip({inc_dataset, filled}).shuffle(30).padded_batch(20);
  const Example first = shuffled.first();
  for (const int64_t n : first["x"].data<int64_t>()) EXPECT_LT(n, 50);
  for (int epoch = 0; epoch < 2; ++epoch) EXPECT_EQ(texts(batched_dataset).size(), 25u);
}

TEST(DataGuide, ParsingExamples) {
  const TemporaryFolder folder;
  {
    io::TFRecordWriter writer(folder / "fsns.tfrec");
    for (const std::string text : {"Rue A", "Rue B"})
      writer.write(Example{{"image/encoded", Literal::scalar(str("png of ", text))},
                           {"image/text", Literal::scalar(text)}});
  }
  const Dataset dataset = data::tfrecords({folder / "fsns.tfrec"});
  const auto tf_parse = data::parse_example({{"image/encoded", FixedLenFeature{{}, DType::string}},
                                             {"image/text", FixedLenFeature{{}, DType::string}}});
  const Example batch = dataset.map(tf_parse).batch(10).first();
  EXPECT_EQ(batch["image/text"].string_at(1), "Rue B");
}

TEST(DataGuide, TimeSeries) {
  const Dataset range_ds = data::range(1000),
                batches = range_ds.batch(10, {.drop_remainder = true});
  const auto dense_1_step = [](const Literal& batch) {
    return std::pair(data::rows(batch, 0, -1), data::rows(batch, 1));
  };
  const Example dense = batches.map(dense_1_step).first();
  EXPECT_EQ(dense["x"].integer_at(8), 8);
  EXPECT_EQ(dense["y"].integer_at(8), 9);
  const Dataset features = batches;
  const Dataset labels = range_ds.batch(10).skip(1).map(
      [](const Literal& labels) { return data::rows(labels, 0, 5); });
  const Example steps = data::zip({features, labels}).first();
  EXPECT_EQ(steps["x"].integer_at(9), 9);
  EXPECT_EQ(steps["y"].integer_at(4), 14);
  const auto make_window_dataset = [](const Dataset& ds, int64_t size, int64_t shift,
                                      int64_t stride) {
    return ds.window(size, {.shift = shift, .stride = stride}).flat_map([size](const Dataset& sub) {
      return sub.batch(size, {.drop_remainder = true});
    });
  };
  const Example window = make_window_dataset(range_ds, 10, 5, 3).skip(1).first();
  EXPECT_EQ(window.only().integer_at(0), 5);
  EXPECT_EQ(window.only().integer_at(9), 32);
}

TEST(DataGuide, Resampling) {
  // creditcard_ds: of (features, class), of which few are of class 1
  const Dataset creditcard_ds = data::range(2000).map(
      [](int64_t i) { return std::pair(static_cast<float>(i), int64_t{i % 50 == 0}); });
  const auto count = [](std::array<int, 2> counts, float, int64_t label) {
    return ++counts[static_cast<size_t>(label)], counts;
  };
  const auto counts = creditcard_ds.take(1000).reduce(std::array{0, 0}, count);
  EXPECT_EQ(counts, (std::array{980, 20}));
  const auto of_class = [&](int64_t wanted) {
    return creditcard_ds.filter([wanted](float, int64_t label) { return label == wanted; })
        .repeat();
  };
  const Dataset balanced_ds =
      data::sample_from_datasets({of_class(0), of_class(1)}, {.weights = {0.5, 0.5}, .seed = 1});
  const auto balanced = balanced_ds.take(1000).reduce(std::array{0, 0}, count);
  EXPECT_NEAR(balanced[0], 500, 4 * std::sqrt(250));  // four standard deviations
  const auto class_func = [](float, int64_t label) { return label; };
  const Dataset resample_ds = creditcard_ds.repeat().rejection_resample(
      class_func, {0.5, 0.5}, {.initial_dist = {0.98, 0.02}, .seed = 1});
  const auto resampled =
      resample_ds
          .map([](int64_t, float features, int64_t label) { return std::pair(features, label); })
          .take(1000)
          .reduce(std::array{0, 0}, count);
  EXPECT_NEAR(resampled[0], 500, 4 * std::sqrt(250));
}

TEST(DataGuide, IteratorsAreSaved) {
  const Dataset range_ds = data::range(20);
  data::Iterator iterator = range_ds.iterator();
  for (int i = 0; i < 5; ++i) iterator.next();
  const std::string saved = iterator.save();
  for (int i = 0; i < 5; ++i) iterator.next();
  iterator.restore(saved);
  EXPECT_EQ(iterator.next()->only().item<int64_t>(), 5);
}

}  // namespace
}  // namespace systolic
