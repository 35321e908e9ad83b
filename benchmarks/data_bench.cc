// How many MNIST-size TFRecords a second become shuffled, normalized batches of 200, in both orders
// of map and batch; and the parts: checksums, plain reading.
//
//   data_bench [SECONDS_PER_ROW]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>

#include "systolic/data/array_ops.h"
#include "systolic/data/dataset.h"
#include "systolic/data/parse_example.h"
#include "systolic/io/crc32c.h"
#include "systolic/io/file.h"
#include "systolic/io/tfrecord_writer.h"

namespace systolic {
namespace {

double seconds_per_row = 2;

double processor_seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void write_files(const std::string& folder) {
  uint32_t state = 1;
  for (int file = 0; file < 8; ++file) {
    io::TFRecordWriter writer(str(folder, "/train-", file, ".tfrec"));
    for (int i = 0; i < 7500; ++i) {
      std::string pixels(784, '\0');
      for (char& pixel : pixels)
        pixel = static_cast<char>((state = state * 1664525u + 1013904223u) >> 24);
      writer.write(
          Example{{"image", Literal::scalar(pixels)}, {"label", Literal::scalar<int64_t>(i % 10)}});
    }
    writer.close();
  }
}

Example parse_mnist(const Example& records) {
  static const auto parse = data::parse_example({{"image", FixedLenFeature{.dtype = DType::string}},
                                                 {"label", FixedLenFeature{.dtype = DType::i64}}});
  const Example parsed = parse(records);
  return {{"image", data::cast(data::decode_raw(parsed["image"], DType::u8), DType::f32) / 255},
          {"label", parsed["label"]}};
}

void row(const char* name, const data::Dataset& batches, bool report = false) {
  data::Iterator iterator = batches.iterator();
  for (int i = 0; i < 20; ++i) next(iterator);
  double records = 0;
  const double start = now();
  const std::clock_t cpu_start = std::clock();
  while (now() - start < seconds_per_row) records += double(next(iterator).value(0).shape()[0]);
  const double cpu_seconds = double(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  std::printf("%-44s %12.0f records/s   %6.0f ns of processor time a record\n", name,
              records / (now() - start), 1e9 * cpu_seconds / records);
  if (report) std::printf("%s", to_string(iterator.report()).c_str());
}

int run(int argc, char** argv) {
  if (argc > 1) seconds_per_row = std::atof(argv[1]);
  const bool report = argc > 2;
  const std::string folder =
      (std::filesystem::temp_directory_path() / "systolic_data_bench").string();
  std::filesystem::create_directories(folder);
  write_files(folder);
  const auto files = io::glob(folder + "/train-*.tfrec");
  const std::string bytes(1 << 20, 'x');
  uint32_t crc = 0;
  double start = processor_seconds();
  for (int i = 0; i < 2000; ++i) crc ^= io::crc32c(bytes);
  std::printf("%-44s %12.2f GB/s (%u)\n", "crc32c, 1 MiB",
              2000 * double(bytes.size()) / (processor_seconds() - start) / 1e9, crc);
  start = processor_seconds();
  for (int i = 0; i < 1000000; ++i) crc ^= io::crc32c(bytes.data() + i % 64, 850);
  std::printf("%-44s %12.2f GB/s (%u)\n", "crc32c, 850 bytes",
              850e6 / (processor_seconds() - start) / 1e9, crc);
  int64_t count = 0;
  start = processor_seconds();
  for (const std::string& file : files) {
    io::TFRecordReader reader(file);
    std::string_view record;
    while (reader.next(record)) ++count;
  }
  std::printf("%-44s %12.0f records/s\n", "TFRecordReader",
              static_cast<double>(count) / (processor_seconds() - start));

  const auto records = data::tfrecords(files);
  const auto turns = data::tfrecords(files, {.num_parallel_reads = data::autotune});
  const data::MapOptions many{.num_parallel_calls = data::autotune};
  if (argc > 3) {
    row("selected", records.map(parse_mnist).shuffle(10000).repeat().batch(200));
    return 0;
  }
  row("read, batch", records.repeat().batch(200), report);
  row("shuffle, batch, map", records.shuffle(10000).repeat().batch(200).map(parse_mnist), report);
  row("shuffle, batch, map autotune, prefetch",
      records.shuffle(10000).repeat().batch(200).map(parse_mnist, many).prefetch(data::autotune),
      report);
  row("turns, shuffle, batch, map autotune, prefetch",
      turns.shuffle(10000).repeat().batch(200).map(parse_mnist, many).prefetch(data::autotune),
      report);
  row("map, shuffle, batch", records.map(parse_mnist).shuffle(10000).repeat().batch(200), report);
  row("map autotune, shuffle, batch, prefetch",
      records.map(parse_mnist, many).shuffle(10000).repeat().batch(200).prefetch(data::autotune),
      report);
  row("shuffle, map autotune, batch, prefetch",
      records.shuffle(10000).map(parse_mnist, many).repeat().batch(200).prefetch(data::autotune),
      report);
  std::filesystem::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace systolic

int main(int argc, char** argv) { return systolic::run(argc, argv); }
