// Data sets of directories, of series, and in parts. Orders and windows are those of Keras 3.15
// (keras.utils on the same files; numpy.random.RandomState).
#include <gtest/gtest.h>

#include <filesystem>

#include "systolic/base/error.h"
#include "systolic/datasets/directory/decode_wav.h"
#include "systolic/datasets/directory/directory_files.h"
#include "systolic/datasets/directory/timeseries.h"
#include "systolic/image/codecs/encode_jpeg.h"
#include "systolic/io/files/test_files.h"

namespace systolic {
namespace {

void put_in(const std::string& path, const std::string& bytes) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  put_file(path, bytes);
}

std::string small(uint32_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes.push_back(static_cast<char>(value >> (8 * i) & 0xff));
  return bytes;
}

// 16 bits, one channel unless told otherwise.
std::string wav(const std::vector<int16_t>& samples, uint32_t rate = 8000, uint32_t channels = 1) {
  std::string data;
  for (const int16_t sample : samples) data += small(static_cast<uint16_t>(sample), 2);
  const std::string format = small(1, 2) + small(channels, 2) + small(rate, 4) +
                             small(rate * 2 * channels, 4) + small(2 * channels, 2) + small(16, 2);
  const std::string odd = "LIST" + small(3, 4) + "abc" + '\0';
  const std::string chunks = "WAVEfmt " + small(16, 4) + format + odd + "data" +
                             small(static_cast<uint32_t>(data.size()), 4) + data;
  return "RIFF" + small(static_cast<uint32_t>(chunks.size()), 4) + chunks;
}

class Directory : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_ / name; }
  void put_texts() const {
    for (const char* name :
         {"b/2.txt", "b/1.txt", "a/sub/3.TXT", "a/4.txt", "a/notes.md", ".hidden/5.txt", "c/6.txt"})
      put_in(path(name), name);
  }

 private:
  TemporaryFolder folder_;
};

std::vector<std::string> texts_of(const data::Dataset& dataset) {
  std::vector<std::string> texts;
  for (const Example& element : dataset) texts.emplace_back(element["text"].bytes());
  return texts;
}

using Names = std::vector<std::string>;

TEST(NumpyOrder, IsThatOfRandomState) {
  // numpy.random.RandomState(s).shuffle(numpy.arange(10))
  EXPECT_EQ(datasets::shuffled_as_numpy(10, 0),
            (std::vector<size_t>{2, 8, 4, 9, 1, 6, 7, 3, 0, 5}));
  EXPECT_EQ(datasets::shuffled_as_numpy(10, 123),
            (std::vector<size_t>{4, 0, 7, 5, 8, 3, 1, 6, 9, 2}));
  EXPECT_EQ(datasets::shuffled_as_numpy(1, 1), (std::vector<size_t>{0}));
}

TEST_F(Directory, TextsInOrder) {
  put_texts();
  const DirectoryDataset all =
      text_dataset_from_directory(path(""), {.batch_size = {}, .shuffle = false});
  EXPECT_EQ(all.class_names, (Names{"a", "b", "c"}));
  EXPECT_EQ(texts_of(all.dataset),
            (Names{"a/4.txt", "a/sub/3.TXT", "b/1.txt", "b/2.txt", "c/6.txt"}));
  std::vector<int64_t> labels;
  for (const Example& element : all.dataset) {
    EXPECT_EQ(element["label"].dtype(), DType::i32);
    labels.push_back(element["label"].integer_at(0));
  }
  EXPECT_EQ(labels, (std::vector<int64_t>{0, 0, 1, 1, 2}));
}

TEST_F(Directory, SubsetsOfOneSeedShareNoFile) {
  put_texts();
  const auto subset = [&](Subset which) {
    return text_dataset_from_directory(
        path(""), {.batch_size = {}, .seed = 3, .validation_split = 0.4, .subset = which});
  };
  Names files = subset(Subset::training).file_paths;
  const Names validation = subset(Subset::validation).file_paths;
  EXPECT_EQ(files.size(), 3u);
  EXPECT_EQ(validation.size(), 2u);
  files.insert(files.end(), validation.begin(), validation.end());
  std::sort(files.begin(), files.end());
  EXPECT_EQ(std::unique(files.begin(), files.end()), files.end());
}

TEST_F(Directory, LabelsInEachMode) {
  put_texts();
  const Example batch = text_dataset_from_directory(path(""), {.label_mode = LabelMode::categorical,
                                                               .class_names = {"c", "a"},
                                                               .max_length = 3,
                                                               .shuffle = false})
                            .dataset.first();
  EXPECT_EQ(batch["label"], Literal::of<float>({{1, 0}, {0, 1}, {0, 1}}));
  EXPECT_EQ(batch["text"], Literal::strings({"c/6", "a/4", "a/s"}));
  const Example given =
      text_dataset_from_directory(path(""), {.label_mode = LabelMode::binary,
                                             .labels = std::vector<int64_t>{0, 1, 1, 0, 1, 0},
                                             .shuffle = false})
          .dataset.first();
  EXPECT_EQ(given["label"].reshape({6}), Literal::of<float>({0, 1, 1, 0, 1, 0}));
  const Example none =
      text_dataset_from_directory(path("a"), {.label_mode = LabelMode::none}).dataset.first();
  EXPECT_FALSE(none.contains("label"));
}

TEST_F(Directory, PicturesAreResizedCutOrFramed) {
  put_in(path("x/1.jpg"), image::encode_jpeg(Literal::filled(DType::u8, {8, 16, 3}, 200)));
  put_in(path("y/1.jpg"), image::encode_jpeg(Literal::filled(DType::u8, {8, 16, 3}, 100)));
  const ImageDirectoryOptions options{.image_size = {4, 4}, .shuffle = false};
  const DirectoryDataset all = image_dataset_from_directory(path(""), options);
  const Example batch = all.dataset.first();
  EXPECT_EQ(batch["image"].dtype(), DType::f32);
  EXPECT_EQ(batch["image"].shape(), (Shape{2, 4, 4, 3}));
  EXPECT_NEAR(batch["image"].number_at(0), 200, 1);
  const Example framed = image_dataset_from_directory(path(""), {.color_mode = ColorMode::grayscale,
                                                                 .image_size = {4, 4},
                                                                 .shuffle = false,
                                                                 .pad_to_aspect_ratio = true})
                             .dataset.first();
  EXPECT_EQ(framed["image"].shape(), (Shape{2, 4, 4, 1}));
  EXPECT_EQ(framed["image"].number_at(0), 0);         // black above
  EXPECT_NEAR(framed["image"].number_at(5), 200, 1);  // the picture
  const Example cut =
      image_dataset_from_directory(
          path(""),
          {.batch_size = {}, .image_size = {4, 4}, .shuffle = false, .crop_to_aspect_ratio = true})
          .dataset.first();
  EXPECT_EQ(cut["image"].shape(), (Shape{4, 4, 3}));
}

TEST_F(Directory, RecordingsAreFilledUp) {
  put_in(path("bell/1.wav"), wav({16384, -32768, 0}));
  put_in(path("drum/1.wav"), wav({8192}));
  const Example batch =
      audio_dataset_from_directory(path(""), AudioDirectoryOptions{.shuffle = false})
          .dataset.first();
  EXPECT_EQ(batch["audio"].reshape({6}), Literal::of<float>({0.5, -1, 0, 0.25, 0, 0}));
  const Example two =
      audio_dataset_from_directory(path(""), {.output_sequence_length = 2, .shuffle = false})
          .dataset.first();
  EXPECT_EQ(two["audio"].reshape({4}), Literal::of<float>({0.5, -1, 0.25, 0}));
  const auto resampled =
      audio_dataset_from_directory(path(""), {.sampling_rate = 16000, .shuffle = false});
  EXPECT_THROW(resampled.dataset.first(), Unimplemented);
}

TEST(DecodeWav, ReadsChannelsAndRefusesDamage) {
  const DecodedAudio audio = decode_wav(wav({1, 2, 3, 4}, 44100, 2));
  EXPECT_EQ(audio.samples.shape(), (Shape{2, 2}));
  EXPECT_EQ(audio.sampling_rate, 44100);
  const std::string good = wav({1, 2, 3});
  EXPECT_THROW(decode_wav("RIFX"), InvalidArgument);
  for (size_t size = 12; size < good.size(); ++size)
    EXPECT_THROW(decode_wav(std::string_view(good).substr(0, size)), Error) << size;
  std::string coded = good;
  coded[20] = 2;  // ADPCM
  EXPECT_THROW(decode_wav(coded), InvalidArgument);
  std::string many_channels = good;
  many_channels[23] = '\x7f';
  EXPECT_THROW(decode_wav(many_channels, 1 << 20), InvalidArgument);
  std::string no_channels = good;
  no_channels[22] = 0;
  EXPECT_THROW(decode_wav(no_channels), InvalidArgument);
  EXPECT_THROW(decode_wav("RIFF\4\0\0\0WAVE"), Error);
}

TEST_F(Directory, WrongRulesAreRefused) {
  put_texts();
  const TextDirectoryOptions wrong[] = {
      {.seed = 1, .validation_split = 0.5},
      {.seed = 1, .subset = Subset::training},
      {.validation_split = 0.5, .subset = Subset::training},
      {.seed = 1, .validation_split = 1.5, .subset = Subset::training},
      {.class_names = {"a", "no"}},
      {.labels = std::vector<int64_t>{1}},
      {.label_mode = LabelMode::binary},
      {.label_mode = LabelMode::none, .class_names = {"a"}},
      {.batch_size = 0},
      {.max_length = -1}};
  for (const TextDirectoryOptions& options : wrong)
    EXPECT_THROW(text_dataset_from_directory(path(""), options), InvalidArgument);
  EXPECT_THROW(audio_dataset_from_directory(path("")), InvalidArgument);
}

Literal rows(int64_t count) {
  Literal data(DType::f32, {count});
  for (int64_t i = 0; i < count; ++i) data.mutable_data<float>()[i] = static_cast<float>(i);
  return data;
}

std::vector<Example> elements_of(const data::Dataset& dataset) {
  std::vector<Example> elements;
  for (const Example& element : dataset) elements.push_back(element);
  return elements;
}

TEST(Timeseries, WindowsOfRows) {
  const data::Dataset windows = timeseries_dataset_from_array(
      rows(10), rows(10), 3, {.sequence_stride = 2, .sampling_rate = 2, .batch_size = 2});
  const std::vector<Example> batches = elements_of(windows);
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(batches[0]["x"], Literal::of<float>({{0, 2, 4}, {2, 4, 6}}));
  EXPECT_EQ(batches[0]["y"], Literal::of<float>({0, 2}));
  EXPECT_EQ(batches[1]["x"], Literal::of<float>({{4, 6, 8}}));
}

TEST(Timeseries, PartOfTheRows) {
  const data::Dataset windows = timeseries_dataset_from_array(
      rows(10), {}, 4, TimeseriesOptions{.batch_size = {}, .start_index = 3, .end_index = 8});
  const std::vector<Example> all = elements_of(windows);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1]["x"], Literal::of<float>({4, 5, 6, 7}));
  EXPECT_FALSE(all[0].contains("y"));
}

TEST(Timeseries, WrongWindowsAreRefused) {
  EXPECT_THROW(timeseries_dataset_from_array(rows(5), {}, 6), InvalidArgument);
  EXPECT_THROW(timeseries_dataset_from_array(rows(5), {}, 0), InvalidArgument);
  EXPECT_THROW(timeseries_dataset_from_array(rows(5), {}, 2, {.sampling_rate = 5}),
               InvalidArgument);
  EXPECT_THROW(timeseries_dataset_from_array(rows(5), {}, 2, {.sequence_stride = 0}),
               InvalidArgument);
  EXPECT_THROW(timeseries_dataset_from_array(rows(5), {}, 2, {.end_index = 6}), InvalidArgument);
}

std::vector<float> values_of(const data::Dataset& dataset) {
  std::vector<float> values;
  for (const Example& element : dataset) values.push_back(element.only().item<float>());
  return values;
}

TEST(SplitDataset, FirstAndLastPart) {
  const data::Dataset all = data::from_tensor_slices(rows(10));
  const auto [left, right] = split_dataset(all, SplitDatasetOptions{.left_size = 0.3});
  EXPECT_EQ(values_of(left), (std::vector<float>{0, 1, 2}));
  EXPECT_EQ(values_of(right).size(), 7u);
  const auto [some, last] = split_dataset(all, {.left_size = 2, .right_size = 3});
  EXPECT_EQ(values_of(last), (std::vector<float>{7, 8, 9}));
  const auto [a, b] = split_dataset(all, {.left_size = 4, .shuffle = true, .seed = 1});
  std::vector<float> both = values_of(a);
  EXPECT_EQ(values_of(a), both);  // the same in each epoch
  for (const float value : values_of(b)) both.push_back(value);
  std::sort(both.begin(), both.end());
  EXPECT_EQ(both, values_of(all));
  EXPECT_THROW(split_dataset(all), InvalidArgument);
  EXPECT_THROW(split_dataset(all, {.left_size = 10}), InvalidArgument);
  EXPECT_THROW(split_dataset(all, {.left_size = 6, .right_size = 6}), InvalidArgument);
  EXPECT_THROW(split_dataset(all.repeat(), {.left_size = 1}), InvalidArgument);
}

}  // namespace
}  // namespace systolic
