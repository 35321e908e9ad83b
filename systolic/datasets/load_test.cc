// datasets::load on a folder as TensorFlow Datasets writes it.
#include "systolic/datasets/load.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

#include "systolic/base/test_errors.h"
#include "systolic/data/arrays/array_ops.h"
#include "systolic/datasets/source.h"
#include "systolic/io/files/file_system.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/records/tfrecord_writer.h"

namespace systolic {
namespace {

namespace fs = std::filesystem;

std::string big_endian(uint64_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

std::string chunk(const std::string& type, const std::string& data) {
  const std::string body = type + data;
  const auto* bytes = reinterpret_cast<const Bytef*>(body.data());
  return big_endian(data.size()) + body +
         big_endian(::crc32(0, bytes, static_cast<uInt>(body.size())));
}

// A grey picture of 2 x 2 pixels: n, n + 1, n + 2, n + 3.
std::string picture(uint8_t n) {
  std::string rows;
  for (int y = 0; y < 2; ++y) {
    rows += '\0';
    for (int x = 0; x < 2; ++x) rows += static_cast<char>(n + 2 * y + x);
  }
  std::string packed(100, '\0');
  uLongf size = packed.size();
  ::compress(reinterpret_cast<Bytef*>(packed.data()), &size,
             reinterpret_cast<const Bytef*>(rows.data()), rows.size());
  packed.resize(size);
  const std::string header = big_endian(2) + big_endian(2) + std::string("\x08\0\0\0\0", 5);
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", packed) + chunk("IEND", "");
}

const char* features_json = R"({
  "pythonClassName": "tensorflow_datasets.core.features.features_dict.FeaturesDict",
  "featuresDict": {"features": {
    "image": {"pythonClassName": "tensorflow_datasets.core.features.image_feature.Image",
              "image": {"shape": {"dimensions": ["2", "2", "1"]}, "dtype": "uint8",
                        "encodingFormat": "png"}},
    "label": {"pythonClassName": "tensorflow_datasets.core.features.class_label_feature.ClassLabel",
              "classLabel": {"numClasses": "10"}},
    "name": {"text": {}},
    "box": {"tensor": {"shape": {"dimensions": ["2"]}, "dtype": "float32", "encoding": "none"}},
    "flags": {"tensor": {"shape": {"dimensions": ["-1"]}, "dtype": "bool", "encoding": "none"}}
  }}})";

std::string info_json(const std::string& version) {
  return R"({"name": "digits", "version": ")" + version + R"(", "fileFormat": "tfrecord",
    "supervisedKeys": {"tuple": {"items": [{"featureKey": "image"}, {"featureKey": "label"}]}},
    "splits": [{"name": "train", "shardLengths": ["6", "4"], "numBytes": "1"},
               {"name": "test", "shardLengths": ["3"]}]})";
}

void write_text(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

// digits/1.0.0 and digits/2.0.1: train has the labels 0 to 9 in two files, test 7, 8, 9.
class Folder {
 public:
  Folder() {
    for (const char* version : {"1.0.0", "2.0.1"}) {
      const fs::path folder = fs::path(path()) / "digits" / version;
      write_text(folder / "dataset_info.json", info_json(version));
      write_text(folder / "features.json", features_json);
      write(folder / "digits-train.tfrecord-00000-of-00002", 0, 6);
      write(folder / "digits-train.tfrecord-00001-of-00002", 6, 10);
      write(folder / "digits-test.tfrecord-00000-of-00001", 7, 10);
    }
  }
  std::string path() const { return folder_ / "tfds"; }

 private:
  static void write(const fs::path& file, int64_t begin, int64_t end) {
    io::TFRecordWriter writer(file.string());
    for (int64_t label = begin; label < end; ++label) {
      writer.write(Example{{"image", Literal::scalar(picture(static_cast<uint8_t>(10 * label)))},
                           {"label", Literal::scalar(label)},
                           {"name", Literal::scalar(str("digit ", label))},
                           {"box", Literal::of<float>({0.5f, static_cast<float>(label)})},
                           {"flags", Literal::of<bool>({true, false})}});
    }
    writer.close();
  }
  TemporaryFolder folder_;
};

std::vector<int64_t> labels(const data::Dataset& dataset) {
  std::vector<int64_t> result;
  for (const Example& element : dataset) result.push_back(element["label"].item<int64_t>());
  return result;
}

// The guide's get_dataset.
TEST(Datasets, LoadMnistsFormAsTheGuideDoes) {
  const Folder folder;
  const auto [dataset, info] = datasets::load(
      "digits", {.split = "train", .as_supervised = true, .data_dir = folder.path()});
  EXPECT_EQ(info.version, "2.0.1");
  EXPECT_EQ(info.split("train").num_examples, 10);
  EXPECT_EQ(info.feature("label").num_classes, 10);
  const data::Dataset scaled = dataset.map([](const Literal& image, const Literal& label) {
    return std::pair(data::cast(image, DType::f32) / 255.0, label);
  });
  const Example batch = scaled.batch(4).first();
  EXPECT_EQ(batch.names(), (std::vector<std::string>{"image", "label"}));
  EXPECT_EQ(batch["image"].shape(), (Shape{4, 2, 2, 1}));
  EXPECT_FLOAT_EQ(static_cast<float>(batch["image"].number_at(4 * 3 + 2)), 32.f / 255);
  EXPECT_EQ(labels(dataset), (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(dataset.cardinality(), 10);
}

TEST(Datasets, WithoutSupervisionElementsHaveAllFeatures) {
  const Folder folder;
  const auto loaded = datasets::load("digits:1.0.0", {.split = "test", .data_dir = folder.path()});
  EXPECT_EQ(loaded.info.version, "1.0.0");
  const Example first = loaded.dataset.first();
  EXPECT_EQ(first.names(), (std::vector<std::string>{"image", "label", "name", "box", "flags"}));
  EXPECT_EQ(first["image"], Literal::from<uint8_t>({70, 71, 72, 73}, {2, 2, 1}));
  EXPECT_EQ(first["name"].bytes(), "digit 7");
  EXPECT_EQ(first["box"], Literal::of<float>({0.5f, 7}));
  EXPECT_EQ(first["flags"], Literal::of<bool>({true, false}));
}

TEST(Datasets, SplitsAreCutAndJoined) {
  const Folder folder;
  const std::pair<const char*, std::vector<int64_t>> table[] = {
      {"train[:30%]", {0, 1, 2}},
      {"train[8:]", {8, 9}},
      {"train[-2:]", {8, 9}},
      {"train[2:-70%]", {0, 1, 2}},  // 2 %, as tfds has it
      {"train[:1] + test[1:2]", {0, 8}},
      {"test+test", {7, 8, 9, 7, 8, 9}},
      {"train[5:2]", {}},
      {"train[12.5%:25%]", {1}},  // 1.25 and 2.5, to the nearest even
      {"train[-1_00%:1_0%](closest)", {0}},
      {"train[:1shard]", {0, 1, 2, 3, 4, 5}},
      {"train[1shard]", {6, 7, 8, 9}},
      {"train[-1shard]", {6, 7, 8, 9}},
      {"train[1shard:]+test[0shard]", {6, 7, 8, 9, 7, 8, 9}},
      {"all", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 7, 8, 9}},
  };
  for (const auto& [split, wanted] : table) {
    EXPECT_EQ(labels(datasets::load("digits", {.split = split, .data_dir = folder.path()}).dataset),
              wanted)
        << split;
  }
}

TEST(Datasets, PercentsMayBeThoseOfWholeHundredths) {
  const datasets::SplitSizes sizes{
      .names = {"train"}, .size_of = [](const std::string&) { return datasets::SplitSize{1299}; }};
  const auto part = [&](const char* text) { return datasets::split_parts(text, sizes, {}).at(0); };
  EXPECT_EQ(part("train[:33%]").count, 429);                      // 428.67
  EXPECT_EQ(part("train[:33%](pct1_dropremainder)").count, 396);  // 33 times 12
  EXPECT_EQ(part("train[33%:66%] (pct1_dropremainder)").begin, 396);
  EXPECT_EQ(part("train[-1%:](pct1_dropremainder)").begin, 1287);
  EXPECT_CONTAINS(error_of([&] { part("train[:3shard]"); }), "how many elements each of its files");
  EXPECT_CONTAINS(error_of([&] { part("train[7]"); }), "split 'train[7]', expected such as");
  EXPECT_CONTAINS(error_of([&] { part("train[:1e300]"); }), "split 'train[:1e300]'");
  EXPECT_CONTAINS(error_of([&] { part("train[:2.5]"); }), "split 'train[:2.5]'");
  EXPECT_CONTAINS(error_of([&] { part("train[5%:1shard]"); }), "split 'train[5%:1shard]'");
  EXPECT_CONTAINS(error_of([&] { part("train[:1300]"); }),
                  "split 'train[:1300]' is cut at 1300, got a split of 1299 elements, expected a "
                  "position from -1299 to 1299");
}

// The order changes, what belongs to a part does not.
TEST(Datasets, FilesAreShuffledAndPartsStayWhatTheyAre) {
  const Folder folder;
  for (const char* split :
       {"train", "train[2:8]", "train[:1shard]", "train[9:]+test", "train[3:3]"}) {
    const auto elements =
        labels(datasets::load("digits", {.split = split, .data_dir = folder.path()}).dataset);
    const std::multiset<int64_t> wanted(elements.begin(), elements.end());
    const data::Dataset shuffled =
        datasets::load(
            "digits",
            {.split = split, .shuffle_files = true, .data_dir = folder.path(), .shuffle_seed = 1})
            .dataset;
    EXPECT_EQ(shuffled.cardinality(), std::ssize(elements)) << split;
    std::set<std::vector<int64_t>> orders;
    for (int epoch = 0; epoch < 20; ++epoch) {
      const std::vector<int64_t> order = labels(shuffled);
      EXPECT_EQ(std::multiset<int64_t>(order.begin(), order.end()), wanted) << split;
      orders.insert(order);
    }
    EXPECT_EQ(orders.size(), split == std::string("train") || split[6] == '2' ? 2u : 1u) << split;
  }
}

TEST(Datasets, TheFolderMayComeFromTheEnvironment) {
  const Folder folder;
  ::setenv("TFDS_DATA_DIR", folder.path().c_str(), 1);
  EXPECT_EQ(datasets::load("digits", {.split = "test"}).info.version, "2.0.1");
  ::unsetenv("TFDS_DATA_DIR");
}

// gs://tfds-data/datasets as a folder of the disk; or a network that is down.
class PublicBucket : public io::FileSystem {
 public:
  explicit PublicBucket(std::string folder) : folder_(std::move(folder)) {}
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
  std::vector<std::string> list(const std::string& path, size_t most, SourceLocation at) override {
    return disk_.list(local(path), most, at);
  }
  void remove(const std::string&, SourceLocation) override {}
  void rename(const std::string&, const std::string&, SourceLocation) override {}

 private:
  std::string local(const std::string& path) const {
    const std::string bucket = "gs://tfds-data/datasets";
    if (folder_.empty()) raise<Unavailable>({.what = "no route to the bucket"});
    EXPECT_EQ(path.substr(0, bucket.size()), bucket);
    return folder_ + path.substr(bucket.size());
  }
  const std::string folder_;
  io::FileSystem& disk_ = io::file_system("");
};

TEST(Datasets, ThePublicBucketIsReadWhereTheDiskHasNothing) {
  const Folder folder;
  const TemporaryFolder empty;
  const datasets::LoadOptions options{
      .split = "test", .data_dir = empty / "", .try_gcs = true, .download = false};
  io::register_file_system("gs", std::make_shared<PublicBucket>(folder.path()));
  EXPECT_EQ(labels(datasets::load("digits", options).dataset), (std::vector<int64_t>{7, 8, 9}));
  io::register_file_system("gs", std::make_shared<PublicBucket>(""));
  expect_parts(error_of([&] { datasets::load("digits", options); }),
               {"NotFound", "try_gcs: no route to the bucket", "gs://tfds-data/datasets/digits"});
}

// A bucket that lets its files be read, but not listed.
class UnlistedBucket : public PublicBucket {
 public:
  using PublicBucket::PublicBucket;
  std::vector<std::string> list(const std::string&, size_t, SourceLocation at) override {
    raise<PermissionDenied>({.what = "no list of this bucket", .location = at});
  }
};

TEST(Datasets, WhatCannotBeListedDoesNotHideWhatIsMissing) {
  const TemporaryFolder empty;
  datasets::LoadOptions options{
      .split = "test", .data_dir = "gs://tfds-data/datasets", .download = false};
  io::register_file_system("gs", std::make_shared<PublicBucket>(empty / ""));
  std::string said = error_of([&] { datasets::load("digits:1.0.0", options); });
  expect_parts(said, {"NotFound: no data set 'digits:1.0.0'", ", expected <version>/"});
  EXPECT_EQ(said.find("nothing there"), std::string::npos) << said << "; nobody looked";
  options.data_dir = "gs://tfds-data/datasets-of-ours";
  said = error_of([&] { datasets::load("digits:1.0.0", options); });
  expect_parts(said, {"NotFound: no data set 'digits:1.0.0'", "got nothing there"});
  io::register_file_system("gs", std::make_shared<UnlistedBucket>(empty / ""));
  said = error_of([&] { datasets::load("digits:1.0.0", options); });
  expect_parts(said, {"NotFound: no data set 'digits:1.0.0'", "got no list of this bucket"});
}

TEST(Datasets, WhatIsWrongIsNamed) {
  const Folder folder;
  const fs::path newest = fs::path(folder.path()) / "digits/2.0.1";
  struct Row {
    std::function<void()> change;
    std::string name, split;
    std::vector<std::string> parts;
  };
  const auto nothing = [] {};
  const Row table[] = {
      {nothing,
       "mnist",
       "train",
       {"no data set 'mnist'", "/mnist'", str("in '", folder.path(), "': digits"),
        "leave .download = false out"}},
      {[&] { write_text(fs::path(folder.path()) / "mnist/train-images-idx3-ubyte", "x"); },
       "mnist",
       "train",
       {"/mnist': train-images-idx3-ubyte"}},  // a part of the set is said to be there
      {nothing, "cifar10", "train", {"no data set 'cifar10'", "tfds build"}},
      {nothing,
       "pairs.csv",
       "train",
       {"no data set 'pairs.csv'",
        "load_dataset(\"csv\", {.data_files = {{\"train\", \"pairs.csv\"}}})"}},
      {nothing, "csv", "train", {"no data set 'csv'", ".data_files = {{\"train\", \"mine.csv\"}}"}},
      {nothing,
       "digits:3.0.0",
       "train",
       {"no data set 'digits:3.0.0'", "/digits': ", "2.0.1", "'digits' takes what there is"}},
      {nothing, "digits", "validation", {"no split 'validation'", "train, test"}},
      {nothing, "digits", "train[:x]", {"split 'train[:x]'", "train[:80%]"}},
      {nothing, "digits", "train[3", {"split 'train[3'"}},
      {nothing, "digits", "train[:101%]", {"train[:101%]"}},
      {nothing, "digits", "", {"split ''"}},
      {[&] { fs::remove(newest / "digits-train.tfrecord-00001-of-00002"); },
       "digits",
       "train",
       {"00001-of-00002' is missing", "2 files"}},
      {[&] {
         write_text(newest / "features.json", R"({"featuresDict": {"features": {"x": {
           "pythonClassName": "a.Thing", "thing": {}}}}})");
       },
       "digits",
       "test",
       {"feature 'x' is of the kind a.Thing", "parse_example"}},
      {[&] {
         write_text(newest / "features.json", R"({"featuresDict": {"features": {"x": {
           "image": {"encodingFormat": "tiff"}}}}})");
       },
       "digits",
       "test",
       {"'x' is an image in tiff", "png"}},
      {[&] { write_text(newest / "features.json", "{\"featuresDict\": 3}"); },
       "digits",
       "test",
       {"features.json' is damaged", "'features'"}},
      {[&] { write_text(newest / "dataset_info.json", "{\"name\": \"digits\""); },
       "digits",
       "test",
       {"dataset_info.json' is damaged: it is no JSON object"}},
      {[&] { write_text(newest / "dataset_info.json", R"({"name": "../x", "version": "1.0.0"})"); },
       "digits",
       "test",
       {"damaged: its name"}},
      {[&] {
         write_text(newest / "dataset_info.json", R"({"name": "digits", "version": "1.0.0",
           "splits": [{"name": "test", "shardLengths": ["-3"]}]})");
       },
       "digits",
       "test",
       {"damaged: a shard's length"}},
  };
  for (const Row& row : table) {
    row.change();
    const std::string message = message_of([&] {
      datasets::load(row.name, {.split = row.split,
                                .as_supervised = true,
                                .data_dir = folder.path(),
                                .download = false});
    });
    for (const std::string& part : row.parts)
      EXPECT_NE(message.find(part), std::string::npos) << part << " in:\n" << message;
  }
}

}  // namespace
}  // namespace systolic
