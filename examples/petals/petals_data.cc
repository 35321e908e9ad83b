#include "examples/petals/petals_data.h"

#include <charconv>

#include "examples/common/pictures.h"
#include "systolic/applications/preprocessing.h"
#include "systolic/base/error.h"
#include "systolic/data/arrays/array_ops.h"
#include "systolic/data/parse_example.h"
#include "systolic/image/codecs/encode_jpeg.h"
#include "systolic/image/image.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/make_folder.h"
#include "systolic/io/records/tfrecord_writer.h"

namespace examples {
namespace {

using namespace systolic;

std::string records_folder(const std::string& folder, int64_t size) {
  return str(folder, "/tfrecords-jpeg-", size, "x", size);
}

Example picture_record(int kind, uint64_t number, int64_t size, bool has_class) {
  const Literal picture = image::resize(draw_flower(kind, number), size, size) + 0.5;
  const std::string bytes = image::encode_jpeg(data::cast(picture, DType::u8), {.quality = 90});
  const Literal id = Literal::scalar(str("flower-", kind, "-", number));
  if (!has_class) return {{"id", id}, {"image", Literal::scalar(bytes)}};
  return {{"id", id},
          {"image", Literal::scalar(bytes)},
          {"class", Literal::scalar(static_cast<int64_t>(kind))}};
}

void draw_shard(const std::string& folder, int64_t size, int64_t pictures, uint64_t first,
                bool has_class) {
  io::make_folder(folder);
  const std::string path = str(folder, "/00-", size, "x", size, "-", pictures, ".tfrec");
  if (io::exists(path)) return;
  io::TFRecordWriter writer(path);
  constexpr int kinds = 5;
  for (int64_t i = 0; i < pictures; ++i) {
    writer.write(picture_record(static_cast<int>(i % kinds), first + static_cast<uint64_t>(i), size,
                                has_class));
  }
  writer.close();
}

data::Dataset records(const std::vector<std::string>& files, bool has_class) {
  std::vector<FeatureSpec> features = {{"id", FixedLenFeature{.dtype = DType::string}},
                                       {"image", FixedLenFeature{.dtype = DType::string}}};
  if (has_class) features.push_back({"class", FixedLenFeature{.dtype = DType::i64}});
  return data::tfrecords(files, {.num_parallel_reads = data::autotune})
      .map(data::parse_example(features));
}

Literal scaled(const Literal& picture, const std::string& application) {
  return applications::preprocess_input(application, picture);
}

Literal decoded(const Example& record, const PetalBatches& batches) {
  const Literal picture = image::decode_image(record["image"].bytes(), {.channels = 3});
  return image::resize(picture, batches.size, batches.size);
}

}  // namespace

int64_t count_petals(const std::vector<std::string>& files) {
  int64_t total = 0;
  for (const std::string& file : files) {
    const size_t begin = file.rfind('-') + 1, end = file.rfind('.');
    int64_t count = 0;
    const auto parsed = std::from_chars(file.data() + begin, file.data() + end, count);
    if (parsed.ec != std::errc() || parsed.ptr != file.data() + end) {
      raise<InvalidArgument>({.what = str("'", file, "' does not say how many pictures it holds"),
                              .wanted = "a name such as 00-192x192-798.tfrec"});
    }
    total += count;
  }
  return total;
}

PetalFiles find_petals(const std::string& folder, int64_t size, int64_t classes) {
  const std::string base = records_folder(folder, size);
  const auto shards = [&](const char* part) {
    const std::string pattern = str(base, "/", part, "/*.tfrec");
    std::vector<std::string> files = io::glob(pattern);
    if (files.empty()) {
      raise<NotFound>({.what = str("no files '", pattern, "'"),
                       .hint = "--data names the folder that holds tfrecords-jpeg-192x192 and its "
                               "like; --size is 192, 224, 331 or 512"});
    }
    return files;
  };
  return {.train = shards("train"),
          .validation = shards("val"),
          .test = shards("test"),
          .classes = classes,
          .size = size};
}

PetalFiles draw_petals(const std::string& folder, int64_t size, int64_t pictures) {
  const std::string base = records_folder(folder, size);
  draw_shard(base + "/train", size, pictures, 0, true);
  draw_shard(base + "/val", size, pictures / 4, 100'000, true);
  draw_shard(base + "/test", size, pictures / 4, 200'000, false);
  return find_petals(folder, size, 5);
}

data::Dataset training_petals(const std::vector<std::string>& files, const PetalBatches& batches) {
  return records(files, true)
      .shuffle(2048, {.seed = batches.seed})
      .repeat()
      .enumerate()
      .map(
          [batches](const Example& element) -> Example {
            const uint64_t own = image::element_seed(
                batches.seed, static_cast<uint64_t>(element["index"].integer_at(0)));
            Literal picture = image::decode_image(element["image"].bytes(), {.channels = 3});
            picture = image::random_resized_crop(picture, batches.size, batches.size, own,
                                                 {.scale_low = 0.6});
            picture = image::stateless_random_flip_left_right(picture, own);
            return {{"image", scaled(picture, batches.application)}, {"class", element["class"]}};
          },
          {.num_parallel_calls = data::autotune})
      .batch(batches.batch, {.drop_remainder = true})
      .prefetch(data::autotune);
}

data::Dataset validation_petals(const std::vector<std::string>& files,
                                const PetalBatches& batches) {
  return records(files, true)
      .map(
          [batches](const Example& record) -> Example {
            return {{"image", scaled(decoded(record, batches), batches.application)},
                    {"class", record["class"]}};
          },
          {.num_parallel_calls = data::autotune})
      .batch(batches.batch)
      .prefetch(data::autotune);
}

data::Dataset test_petals(const std::vector<std::string>& files, const PetalBatches& batches) {
  return records(files, false)
      .map(
          [batches](const Example& record) -> Example {
            return {{"image", scaled(decoded(record, batches), batches.application)}};
          },
          {.num_parallel_calls = data::autotune})
      .batch(batches.batch)
      .prefetch(data::autotune);
}

std::vector<std::string> petal_ids(const std::vector<std::string>& files) {
  std::vector<std::string> ids;
  for (const Example& record : records(files, false)) ids.emplace_back(record["id"].bytes());
  return ids;
}

}  // namespace examples
