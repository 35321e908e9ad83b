// How many MNIST-size TFRecords a second become shuffled, normalized batches of 200, in both orders
// of map and batch; and the parts: checksums, plain reading.
//
//   data_bench [SECONDS_PER_ROW]
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "benchmarks/mnist_records.h"
#include "systolic/base/stopwatch.h"
#include "systolic/io/encoding/crc32c.h"

namespace systolic {
namespace {

double seconds_per_row = 2;

double processor_seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

void row(const char* name, const data::Dataset& batches, bool report = false) {
  data::Iterator iterator = batches.iterator();
  for (int i = 0; i < 20; ++i) next(iterator);
  double records = 0;
  const Stopwatch watch;
  const std::clock_t cpu_start = std::clock();
  while (watch.seconds() < seconds_per_row) records += double(next(iterator).value(0).shape()[0]);
  const double cpu_seconds = double(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  std::printf("%-44s %12.0f records/s   %6.0f ns of processor time a record\n", name,
              records / watch.seconds(), 1e9 * cpu_seconds / records);
  if (report) std::printf("%s", to_string(iterator.report()).c_str());
}

int run(int argc, char** argv) {
  if (argc > 1) seconds_per_row = std::atof(argv[1]);
  const bool report = argc > 2;
  const std::string folder =
      (std::filesystem::temp_directory_path() / "systolic_data_bench").string();
  const auto files = mnist_record_files(folder, 60'000);
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
