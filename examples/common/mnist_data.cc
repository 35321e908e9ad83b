#include "examples/common/mnist_data.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <sstream>

#include "examples/common/digits.h"
#include "systolic/base/error.h"
#include "systolic/data/arrays/array_ops.h"
#include "systolic/data/parse_example.h"
#include "systolic/io/encoding/crc32c.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/make_folder.h"
#include "systolic/io/records/idx.h"
#include "systolic/io/records/tfrecord_writer.h"

namespace examples {
namespace {

using namespace systolic;
namespace fs = std::filesystem;

constexpr int64_t shards = 4;
constexpr std::string_view drawn = "digits";
constexpr int64_t rendered_train = 12'000, rendered_test = 2'000;

// One of the four files, plain or compressed.
std::string idx_path(const std::string& folder, const std::string& name) {
  const std::string plain = folder + "/" + name, packed = plain + ".gz";
  if (io::exists(plain)) return plain;
  if (io::exists(packed)) return packed;
  raise<NotFound>({.what = str("the folder '", folder, "' has no ", name, " and no ", name, ".gz"),
                   .wanted = "MNIST's four IDX files",
                   .hint = io::exists(folder) ? "" : "there is no such folder"});
}

std::string images_path(const std::string& folder, const std::string& part) {
  return idx_path(folder, part + "-images-idx3-ubyte");
}

std::string labels_path(const std::string& folder, const std::string& part) {
  return idx_path(folder, part + "-labels-idx1-ubyte");
}

Digits read_idx_pair(const std::string& folder, const std::string& part) {
  const std::string images = images_path(folder, part), labels = labels_path(folder, part);
  Digits digits{io::read_idx(images), io::read_idx(labels)};
  const Shape& shape = digits.images.shape();
  if (digits.images.dtype() != DType::u8 || shape.rank() != 3 || shape[0] == 0 || shape[1] != 28 ||
      shape[2] != 28) {
    raise<InvalidArgument>({.what = str("'", images, "' holds ", digits.images.dtype(), shape),
                            .wanted = "u8(n, 28, 28), n at least 1"});
  }
  if (digits.labels.dtype() != DType::u8 || digits.labels.shape() != Shape{shape[0]}) {
    raise<InvalidArgument>({.what = str("'", labels, "' holds ", digits.labels.dtype(),
                                        digits.labels.shape(), " for ", shape[0], " images"),
                            .wanted = str("u8(", shape[0], ",)")});
  }
  return digits;
}

std::string shard_name(const std::string& prefix, int64_t shard) {
  return str(prefix, "-0000", shard, "-of-0000", shards, ".tfrec");
}

// Row i goes to shard i % shards, so that every shard has all classes.
void write_shards(const std::string& prefix, const Literal& images, const Literal& labels) {
  const int64_t rows = images.shape()[0];
  const size_t pixels = images.byte_size() / static_cast<size_t>(rows);
  for (int64_t shard = 0; shard < shards; ++shard) {
    io::TFRecordWriter writer(shard_name(prefix, shard));
    for (int64_t row = shard; row < rows; row += shards) {
      const auto* first =
          reinterpret_cast<const char*>(images.raw()) + static_cast<size_t>(row) * pixels;
      writer.write(Example{{"image", Literal::scalar(std::string_view(first, pixels))},
                           {"label", Literal::scalar<int64_t>(labels.integer_at(row))}});
    }
    writer.close();
  }
}

// Where the records of a set of images lie, and how to get the images when they are not there yet.
struct Source {
  std::string kind;
  std::string base;
  std::function<Digits(const std::string& part)> read;
};

Source drawn_digits(const std::string& cache) {
  return {"digits", cache + "/digits", [](const std::string& part) {
            return part == "train" ? render_digits(rendered_train, 1)
                                   : render_digits(rendered_test, 2);
          }};
}

// Other folders, and files that changed, get records of their own.
Source idx_files(const std::string& folder, const std::string& cache) {
  std::string mark = fs::absolute(folder).lexically_normal().string();
  for (const char* part : {"train", "t10k"}) {
    for (const std::string& path : {images_path(folder, part), labels_path(folder, part)}) {
      mark += str(" ", path, " ", fs::file_size(path), " ",
                  fs::last_write_time(path).time_since_epoch().count());
    }
  }
  return {"mnist", str(cache, "/mnist-", io::crc32c(mark)), [folder](const std::string& part) {
            return read_idx_pair(folder, part == "train" ? "train" : "t10k");
          }};
}

// The number of images, kept in a file that is written when all shards are there.
std::optional<int64_t> written_samples(const std::string& prefix) {
  const std::string path = prefix + "-samples.txt";
  if (!io::exists(path)) return {};
  for (int64_t shard = 0; shard < shards; ++shard) {
    if (!io::exists(shard_name(prefix, shard))) return {};
  }
  int64_t samples = 0;
  std::istringstream(io::read_file(path)) >> samples;
  return samples > 0 ? std::optional(samples) : std::nullopt;
}

int64_t write_once(const Source& source, const std::string& part) {
  const std::string prefix = source.base + "/" + part;
  if (const auto samples = written_samples(prefix)) return *samples;
  const Digits digits = source.read(part);
  write_shards(prefix, digits.images, digits.labels);
  const int64_t samples = digits.images.shape()[0];
  io::write_file(prefix + "-samples.txt", str(samples, "\n"));
  return samples;
}

data::Dataset parsed(data::Dataset records) {
  const auto parse = data::parse_example({{"image", FixedLenFeature{.dtype = DType::string}},
                                          {"label", FixedLenFeature{.dtype = DType::i64}}});
  return records.map(
      [parse](const Example& batch) -> Example {
        const Example element = parse(batch);
        const Literal bytes = data::decode_raw(element["image"], DType::u8);
        return {{"image", bytes.reshape({bytes.shape()[0], 28, 28, 1})},
                {"label", element["label"]}};
      },
      {.num_parallel_calls = data::autotune});
}

}  // namespace

MnistFiles mnist_files(const std::string& folder, const std::string& cache) {
  const Source source =
      folder.empty() || folder == drawn ? drawn_digits(cache) : idx_files(folder, cache);
  io::make_folder(source.base);
  MnistFiles files;
  files.kind = source.kind;
  files.train_samples = write_once(source, "train");
  files.test_samples = write_once(source, "test");
  files.train = source.base + "/train-*.tfrec";
  files.test = source.base + "/test-*.tfrec";
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
