// The pipelines of TensorFlow's guide "tf.data: Build TensorFlow input pipelines"
// (tensorflow.org/guide/data), section by section, each with the Python line over it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "systolic/base/test_errors.h"
#include "systolic/data/array_ops.h"
#include "systolic/data/dataset.h"
#include "systolic/data/parse_example.h"
#include "systolic/io/file.h"
#include "systolic/io/test_files.h"
#include "systolic/io/tfrecord_writer.h"

namespace systolic {
namespace {

using data::Dataset;

std::vector<std::string> texts(const Dataset& dataset) {
  std::vector<std::string> all;
  for (const Example& element : dataset) all.push_back(to_string(element));
  return all;
}

TEST(DataGuide, BasicMechanics) {
  // dataset = tf.data.Dataset.from_tensor_slices([8, 3, 0, 8, 2, 1])
  const Dataset dataset = data::from_tensor_slices(Literal::of<int64_t>({8, 3, 0, 8, 2, 1}));
  // for elem in dataset: print(elem.numpy())
  std::vector<int64_t> all;
  for (const Example& element : dataset) all.push_back(element.only().item<int64_t>());
  EXPECT_EQ(all, (std::vector<int64_t>{8, 3, 0, 8, 2, 1}));
  // it = iter(dataset); print(next(it).numpy())
  data::Iterator it = dataset.iterator();
  EXPECT_EQ(it.next()->only().item<int64_t>(), 8);
  // dataset.reduce(0, lambda state, value: state + value)
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
  // dataset1 = tf.data.Dataset.from_tensor_slices(tf.random.uniform([4, 10]))
  const Dataset dataset1 = data::from_tensor_slices(Literal::zeros(DType::f32, {4, 10}));
  // dataset2 = tf.data.Dataset.from_tensor_slices((tf.random.uniform([4]), ...))
  const Dataset dataset2 = data::from_tensor_slices(
      {Literal::zeros(DType::f32, {4}), Literal::zeros(DType::i32, {4, 100})});
  // dataset3 = tf.data.Dataset.zip((dataset1, dataset2))
  const Dataset dataset3 = data::zip({dataset1, dataset2});
  EXPECT_EQ(to_string(dataset3.element_spec()), "{x: f32(10,), y: f32(), x2: i32(100,)}");
  // for a, (b, c) in dataset3: print(a.shape, b.shape, c.shape)
  for (const Example& element : dataset3) {
    EXPECT_EQ(element["x"].shape(), (Shape{10}));
    EXPECT_EQ(element["x2"].shape(), (Shape{100}));
  }
}

TEST(DataGuide, Generators) {
  // def count(stop): i = 0; while i < stop: yield i; i += 1
  const auto count = [](int64_t stop) {
    return [stop] {
      return [stop, i = int64_t{0}]() mutable -> std::optional<Example> {
        if (i == stop) return std::nullopt;
        return Example{{"i", Literal::scalar(i++)}};
      };
    };
  };
  // ds_counter = tf.data.Dataset.from_generator(count, args=[25], output_types=tf.int32, ...)
  const Dataset ds_counter = data::from_generator(count(25));
  // for count_batch in ds_counter.repeat().batch(10).take(10): print(count_batch.numpy())
  std::vector<std::string> rows;
  for (const Example& batch : ds_counter.repeat().batch(10).take(3))
    rows.push_back(str(batch.only().integer_at(0), "-", batch.only().integer_at(9)));
  EXPECT_EQ(rows, (std::vector<std::string>{"0-9", "10-19", "20-4"}));
  // ds_series.shuffle(20).padded_batch(10)
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
  // dataset = tf.data.TextLineDataset(file_paths)
  EXPECT_EQ(texts(data::text_lines(io::glob(folder / "*.txt"))).size(), 6u);
  // files_ds = tf.data.Dataset.from_tensor_slices(file_paths)
  const Dataset files_ds = data::list_files(folder / "*.txt", {.shuffle = false});
  // lines_ds = files_ds.interleave(tf.data.TextLineDataset, cycle_length=3)
  const Dataset lines_ds = files_ds.interleave(
      [](const std::string& path) { return data::text_lines({path}); }, {.cycle_length = 3});
  std::string all;
  for (const Example& line : lines_ds) all += std::string(line.only().bytes()) + ",";
  EXPECT_EQ(all, "butler 1,cowper 1,derby 1,butler 2,cowper 2,derby 2,");

  put_file(folder / "titanic.csv", "survived,age\n0,22\n1,38\n0,35\n1,4\n");
  // def survived(line): return tf.not_equal(tf.strings.substr(line, 0, 1), "0")
  const auto survived = [](std::string_view line) { return line.substr(0, 1) != "0"; };
  // survivors = titanic_lines.skip(1).filter(survived)
  EXPECT_EQ(texts(data::text_lines({folder / "titanic.csv"}).skip(1).filter(survived)).size(), 2u);
  // titanic_types = [tf.int32, tf.float32]; tf.data.experimental.CsvDataset(file, types,
  // header=True)
  const Dataset titanic = data::csv(
      {folder / "titanic.csv"}, {{"survived", DType::i32}, {"age", DType::f32}}, {.header = true});
  EXPECT_EQ(titanic.reduce(0.0f, [](float age, int32_t, float each) { return age + each; }), 99);
}

TEST(DataGuide, SetsOfFiles) {
  const TemporaryFolder folder;
  for (const char* name : {"daisy", "rose"}) {
    std::filesystem::create_directory(folder / name);
    for (int i = 0; i < 2; ++i) put_file(folder / str(name, "/", i, ".jpg"), str(name, i));
  }
  // list_ds = tf.data.Dataset.list_files(str(flowers_root/'*/*'))
  const Dataset list_ds = data::list_files(folder / "*/*", {.seed = 3});
  // def process_path(file_path): label = tf.strings.split(file_path, os.sep)[-2]
  //   return tf.io.read_file(file_path), label
  const auto process_path = [](const std::string& file_path) {
    const std::string label = std::filesystem::path(file_path).parent_path().filename();
    return std::pair(io::read_file(file_path), label);
  };
  // labeled_ds = list_ds.map(process_path)
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
  // inc_dataset = tf.data.Dataset.range(100); dec_dataset = tf.data.Dataset.range(0, -100, -1)
  const Dataset inc_dataset = data::range(100), dec_dataset = data::range(0, -100, -1);
  // dataset = tf.data.Dataset.zip((inc_dataset, dec_dataset)); batched_dataset = dataset.batch(4)
  const Dataset batched_dataset = data::zip({inc_dataset, dec_dataset}).batch(4);
  EXPECT_EQ(to_string(batched_dataset.element_spec()), "{x: i64(-1,), y: i64(-1,)}");
  EXPECT_EQ(batched_dataset.first()["y"].integer_at(3), -3);
  // dataset = tf.data.Dataset.range(100).map(lambda x: tf.fill([tf.cast(x, tf.int32)], x))
  const Dataset filled = data::range(100).map(
      [](int64_t x) { return Literal::filled(DType::i64, {x}, static_cast<double>(x)); });
  // dataset = dataset.padded_batch(4, padded_shapes=(None,))
  EXPECT_EQ(filled.padded_batch(4).skip(1).first().only().shape(), (Shape{4, 7}));
  // dataset = tf.data.Dataset.zip((counter, lines)); dataset.shuffle(buffer_size=100).batch(20)
  const Dataset shuffled = data::zip({inc_dataset, filled}).shuffle(30).padded_batch(20);
  const Example first = shuffled.first();
  for (const int64_t n : first["x"].data<int64_t>()) EXPECT_LT(n, 50);
  // for epoch in range(epochs): for batch in dataset: ...
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
  // dataset = tf.data.TFRecordDataset(filenames=[fsns_test_file])
  const Dataset dataset = data::tfrecords({folder / "fsns.tfrec"});
  // raw_example = next(iter(dataset)); parsed = tf.train.Example.FromString(raw_example.numpy())
  // def tf_parse(eg): example = tf.io.parse_example(eg[tf.newaxis], {...})
  const auto tf_parse = data::parse_example({{"image/encoded", FixedLenFeature{{}, DType::string}},
                                             {"image/text", FixedLenFeature{{}, DType::string}}});
  // decoded = dataset.map(tf_parse); image_batch, text_batch = next(iter(decoded.batch(10)))
  const Example batch = dataset.map(tf_parse).batch(10).first();
  EXPECT_EQ(batch["image/text"].string_at(1), "Rue B");
}

TEST(DataGuide, TimeSeries) {
  // range_ds = tf.data.Dataset.range(100000); batches = range_ds.batch(10, drop_remainder=True)
  const Dataset range_ds = data::range(1000),
                batches = range_ds.batch(10, {.drop_remainder = true});
  // def dense_1_step(batch): return batch[:-1], batch[1:]
  const auto dense_1_step = [](const Literal& batch) {
    return std::pair(data::rows(batch, 0, -1), data::rows(batch, 1));
  };
  // predict_dense_1_step = batches.map(dense_1_step)
  const Example dense = batches.map(dense_1_step).first();
  EXPECT_EQ(dense["x"].integer_at(8), 8);
  EXPECT_EQ(dense["y"].integer_at(8), 9);
  // features = range_ds.batch(10, drop_remainder=True)
  const Dataset features = batches;
  // labels = range_ds.batch(10).skip(1).map(lambda labels: labels[:5])
  const Dataset labels = range_ds.batch(10).skip(1).map(
      [](const Literal& labels) { return data::rows(labels, 0, 5); });
  // predicted_steps = tf.data.Dataset.zip((features, labels))
  const Example steps = data::zip({features, labels}).first();
  EXPECT_EQ(steps["x"].integer_at(9), 9);
  EXPECT_EQ(steps["y"].integer_at(4), 14);
  // def make_window_dataset(ds, window_size=5, shift=1, stride=1):
  //   windows = ds.window(window_size, shift=shift, stride=stride)
  //   return windows.flat_map(lambda sub: sub.batch(window_size, drop_remainder=True))
  const auto make_window_dataset = [](const Dataset& ds, int64_t size, int64_t shift,
                                      int64_t stride) {
    return ds.window(size, {.shift = shift, .stride = stride}).flat_map([size](const Dataset& sub) {
      return sub.batch(size, {.drop_remainder = true});
    });
  };
  // ds = make_window_dataset(range_ds, window_size=10, shift=5, stride=3)
  const Example window = make_window_dataset(range_ds, 10, 5, 3).skip(1).first();
  EXPECT_EQ(window.only().integer_at(0), 5);
  EXPECT_EQ(window.only().integer_at(9), 32);
}

TEST(DataGuide, Resampling) {
  // creditcard_ds: of (features, class), of which few are of class 1
  const Dataset creditcard_ds = data::range(2000).map(
      [](int64_t i) { return std::pair(static_cast<float>(i), int64_t{i % 50 == 0}); });
  // def count(counts, batch): features, labels = batch; class_1 = labels == 1; ...
  const auto count = [](std::array<int, 2> counts, float, int64_t label) {
    return ++counts[static_cast<size_t>(label)], counts;
  };
  // counts = creditcard_ds.take(1000).reduce(initial_state={...}, reduce_func=count)
  const auto counts = creditcard_ds.take(1000).reduce(std::array{0, 0}, count);
  EXPECT_EQ(counts, (std::array{980, 20}));
  // negative_ds = creditcard_ds.filter(lambda features, label: label == 0).repeat()
  const auto of_class = [&](int64_t wanted) {
    return creditcard_ds.filter([wanted](float, int64_t label) { return label == wanted; })
        .repeat();
  };
  // balanced_ds = tf.data.Dataset.sample_from_datasets([negative_ds, positive_ds], [0.5, 0.5])
  const Dataset balanced_ds =
      data::sample_from_datasets({of_class(0), of_class(1)}, {.weights = {0.5, 0.5}, .seed = 1});
  const auto balanced = balanced_ds.take(1000).reduce(std::array{0, 0}, count);
  EXPECT_NEAR(balanced[0], 500, 4 * std::sqrt(250));  // four standard deviations
  // def class_func(features, label): return label
  const auto class_func = [](float, int64_t label) { return label; };
  // resample_ds = creditcard_ds.rejection_resample(class_func, target_dist=[0.5, 0.5], ...)
  const Dataset resample_ds = creditcard_ds.repeat().rejection_resample(
      class_func, {0.5, 0.5}, {.initial_dist = {0.98, 0.02}, .seed = 1});
  // balanced_ds = resample_ds.map(lambda extra_label, features_and_label: features_and_label)
  const auto resampled =
      resample_ds
          .map([](int64_t, float features, int64_t label) { return std::pair(features, label); })
          .take(1000)
          .reduce(std::array{0, 0}, count);
  EXPECT_NEAR(resampled[0], 500, 4 * std::sqrt(250));
}

TEST(DataGuide, IteratorsAreSaved) {
  // range_ds = tf.data.Dataset.range(20); iterator = iter(range_ds)
  const Dataset range_ds = data::range(20);
  data::Iterator iterator = range_ds.iterator();
  // ckpt = tf.train.Checkpoint(step=tf.Variable(0), iterator=iterator)
  // print([next(iterator).numpy() for _ in range(5)]); save_path = manager.save()
  for (int i = 0; i < 5; ++i) iterator.next();
  const std::string saved = iterator.save();
  for (int i = 0; i < 5; ++i) iterator.next();
  // ckpt.restore(manager.latest_checkpoint)
  iterator.restore(saved);
  EXPECT_EQ(iterator.next()->only().item<int64_t>(), 5);
}

}  // namespace
}  // namespace systolic
