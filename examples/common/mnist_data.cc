#include "examples/common/mnist_data.h"

#include <filesystem>

#include "examples/common/digits.h"
#include "systolic/base/error.h"
#include "systolic/data/array_ops.h"
#include "systolic/data/parse_example.h"
#include "systolic/io/file.h"
#include "systolic/io/idx.h"
#include "systolic/io/tfrecord_writer.h"

namespace examples {
namespace {

using namespace systolic;
namespace fs = std::filesystem;

constexpr int64_t shards = 4;
constexpr int64_t rendered_train = 12'000, rendered_test = 2'000;

Literal read_either(const std::string& folder, const std::string& name) {
  const std::string plain = folder + "/" + name;
  return io::read_idx(io::exists(plain) ? plain : plain + ".gz");
}

std::string shard_name(const std::string& prefix, int64_t shard) {
  return str(prefix, "-0000", shard, "-of-0000", shards, ".tfrec");
}

// Row i goes to shard i % shards, so that every shard has all classes.
void write_shards(const std::string& prefix, const Literal& images, const Literal& labels) {
  const int64_t rows = images.shape()[0];
  const size_t pixels = images.byte_size() / static_cast<size_t>(rows);
  for (int64_t shard = 0; shard < shards; ++shard) {
    const std::string path = shard_name(prefix, shard);
    io::TFRecordWriter writer(path + ".part");
    for (int64_t row = shard; row < rows; row += shards) {
      const auto* first =
          reinterpret_cast<const char*>(images.raw()) + static_cast<size_t>(row) * pixels;
      writer.write(Example{{"image", Literal::scalar(std::string_view(first, pixels))},
                           {"label", Literal::scalar<int64_t>(labels.integer_at(row))}});
    }
    writer.close();
    fs::rename(path + ".part", path);
  }
}

bool is_complete(const std::string& prefix) {
  for (int64_t shard = 0; shard < shards; ++shard) {
    if (!io::exists(shard_name(prefix, shard))) return false;
  }
  return true;
}

// Folders of other data, and of data that changed, get another name.
std::string cache_folder(const std::string& cache, const std::string& folder) {
  if (folder.empty()) return cache + "/digits";
  uintmax_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(folder))
    bytes += entry.is_regular_file() ? entry.file_size() : 0;
  const size_t mark = std::hash<std::string>{}(str(fs::absolute(folder).string(), bytes));
  return str(cache, "/mnist-", mark);
}

data::Dataset parsed(data::Dataset records) {
  const auto parse = data::parse_example({{"image", FixedLenFeature{.dtype = DType::string}},
                                          {"label", FixedLenFeature{.dtype = DType::i64}}});
  return records.map(
      [parse](const Example& batch) -> Example {
        const Example element = parse(batch);
        const Literal bytes = data::decode_raw(element["image"], DType::u8);
        const Literal image = data::scale(bytes, 1.0 / 255);
        return {{"image", image.reshape({bytes.shape()[0], 28, 28, 1})},
                {"label", element["label"]}};
      },
      {.num_parallel_calls = data::autotune});
}

}  // namespace

MnistFiles mnist_files(const std::string& folder, const std::string& cache) {
  MnistFiles files;
  files.kind = folder.empty() ? "digits" : "mnist";
  const std::string base = cache_folder(cache, folder);
  fs::create_directories(base);
  Digits train, test;
  if (folder.empty()) {
    train = render_digits(rendered_train, 1);
    test = render_digits(rendered_test, 2);
  } else {
    train = {read_either(folder, "train-images-idx3-ubyte"),
             read_either(folder, "train-labels-idx1-ubyte")};
    test = {read_either(folder, "t10k-images-idx3-ubyte"),
            read_either(folder, "t10k-labels-idx1-ubyte")};
  }
  if (!is_complete(base + "/train")) write_shards(base + "/train", train.images, train.labels);
  if (!is_complete(base + "/test")) write_shards(base + "/test", test.images, test.labels);
  files.train = base + "/train-*.tfrec";
  files.test = base + "/test-*.tfrec";
  files.train_samples = train.images.shape()[0];
  files.test_samples = test.images.shape()[0];
  return files;
}

data::Dataset training_batches(const MnistFiles& files, int64_t batch, uint64_t seed) {
  return parsed(data::tfrecords(io::glob(files.train), {.num_parallel_reads = data::autotune})
                    .shuffle(10'000, {.seed = seed})
                    .repeat()
                    .batch(batch, {.drop_remainder = true}))
      .prefetch(data::autotune);
}

data::Dataset test_batches(const MnistFiles& files, int64_t batch) {
  return parsed(data::tfrecords(io::glob(files.test)).batch(batch)).prefetch(data::autotune);
}

}  // namespace examples
