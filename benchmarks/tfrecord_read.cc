// How fast TFRecord files are read on one thread, both checksums of every record checked, from the
// page cache.
//
//   tfrecord_read [--dir build/bench/records] [--record-bytes 100000] [--seconds 3]
//
// Writes a file of 200 MB of random bytes where there is none. The last line is JSON.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

#include "systolic/base/error.h"
#include "systolic/base/stopwatch.h"
#include "systolic/io/files/file.h"
#include "systolic/io/records/tfrecord_reader.h"
#include "systolic/io/records/tfrecord_writer.h"

namespace systolic {
namespace {

constexpr int64_t file_bytes = 200'000'000;

struct Arguments {
  std::string dir = "build/bench/records";
  int64_t record_bytes = 100'000;
  double seconds = 3;
};

Arguments arguments(int argc, char** argv) {
  Arguments result;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
    if (name == "--dir" && !value.empty()) {
      result.dir = value;
    } else if (!(name == "--record-bytes" && parse_number(value, result.record_bytes) &&
                 result.record_bytes > 0) &&
               !(name == "--seconds" && parse_number(value, result.seconds))) {
      raise<InvalidArgument>({.what = str("argument ", name, " ", value),
                              .wanted = "--dir, --record-bytes or --seconds"});
    }
  }
  return result;
}

std::string record_file(const Arguments& options) {
  std::filesystem::create_directories(options.dir);
  const std::string path = str(options.dir, "/", options.record_bytes, "-bytes.tfrec");
  if (io::exists(path)) return path;
  uint32_t state = 1;
  std::string record(static_cast<size_t>(options.record_bytes), '\0');
  io::TFRecordWriter writer(path);
  for (int64_t i = 0; i < file_bytes / options.record_bytes; ++i) {
    for (char& byte : record)
      byte = static_cast<char>((state = state * 1664525u + 1013904223u) >> 24);
    writer.write(std::string_view(record));
  }
  writer.close();
  return path;
}

// As data::tfrecords reads: blocks of records, without a copy.
int64_t read_all(const std::string& path) {
  io::TFRecordReader reader(path);
  io::RecordBlock block;
  int64_t records = 0;
  while (reader.next_block(block, 128)) records += static_cast<int64_t>(block.records.size());
  return records;
}

void run(const Arguments& options) {
  const std::string path = record_file(options);
  int64_t records = read_all(path);  // into the page cache
  double best = 1e30;
  records = 0;
  const Stopwatch watch;
  double end = 0;
  while (end < options.seconds) {
    const double before = end;
    records += read_all(path);
    end = watch.seconds();
    best = std::min(best, end - before);
  }
  const double rate = static_cast<double>(records) / end;
  std::printf(
      "{\"work\": \"tfrecord_read\", \"who\": \"systolic\", \"record_bytes\": %lld, "
      "\"records_per_second\": %.0f, \"gigabytes_per_second\": %.3f, \"best_pass_seconds\": "
      "%.4f}\n",
      static_cast<long long>(options.record_bytes), rate,
      rate * static_cast<double>(options.record_bytes) / 1e9, best);
}

}  // namespace
}  // namespace systolic

int main(int argc, char** argv) {
  try {
    systolic::run(systolic::arguments(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
