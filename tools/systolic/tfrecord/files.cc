#include "tools/systolic/tfrecord/files.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/threads/thread_calibration.h"
#include "systolic/base/threads/thread_pool.h"
#include "systolic/io/files/file.h"

namespace tool::tfrecord {

using namespace systolic;

std::vector<std::string> expand(const std::vector<std::string>& patterns) {
  std::vector<std::string> files;
  for (const std::string& pattern : patterns) {
    const bool wild = pattern.find_first_of("*?[") != std::string::npos;
    std::error_code ignored;
    const bool local = io::scheme_of(pattern).empty();
    if (local ? std::filesystem::is_directory(pattern, ignored) : pattern.back() == '/') {
      raise<InvalidArgument>({.what = str("'", pattern, "' is a folder"),
                              .wanted = "files",
                              .hint = str("'", pattern, pattern.back() == '/' ? "" : "/",
                                          "*.tfrec*' names those in it that end so")});
    }
    if (!wild || (local && io::exists(pattern))) {
      files.push_back(pattern);
      continue;
    }
    for (std::string& file : io::glob(pattern, {})) files.push_back(std::move(file));
  }
  return files;
}

namespace {

std::string_view kind_of(const std::string& file) {
  char first[8];
  const size_t count = io::File(file, {}).read(first, sizeof(first));
  return io::recognize({first, count});
}

}  // namespace

io::Compression compression_of(const std::string& file) {
  const std::string_view kind = kind_of(file);
  // A plain file may start with ZLIB's two bytes by chance; its first length then has a checksum.
  if (kind == "GZIP") return io::Compression::gzip;
  if (kind != "ZLIB") return io::Compression::none;
  io::TFRecordReader plain(file, {.on_corrupt = io::OnCorrupt::stop}, {});
  std::string_view record;
  try {
    plain.next(record);
    return io::Compression::none;
  } catch (const DataLoss&) {
    return io::Compression::zlib;
  }
}

io::TFRecordReader open_reader(const std::string& file, io::OnCorrupt on_corrupt,
                               std::function<void(const DataLoss&)> on_first_left_out) {
  return io::TFRecordReader(file,
                            {.compression = compression_of(file),
                             .on_corrupt = on_corrupt,
                             .block_bytes = 1 << 20,
                             .on_first_left_out = std::move(on_first_left_out)},
                            {});
}

void advising_repair(const std::string& file, FunctionRef<void()> read) {
  try {
    read();
  } catch (const DataLoss& error) {
    ErrorReport report = error.report();
    // The reader's advice is for a programmer. A picture has no records to keep.
    const bool compressed = compression_of(file) != io::Compression::none;
    report.hint =
        compressed || kind_of(file).empty()
            ? str("`systolic tfrecord repair '", file, "' --output FOLDER` copies what is whole")
            : "";
    throw DataLoss(std::move(report));
  }
}

uint64_t bytes_of(const std::string& file) { return io::File(file, {}).size(); }

bool same_file(const std::string& a, const std::string& b) {
  if (a == b) return io::exists(a);
  if (!io::scheme_of(a).empty() || !io::scheme_of(b).empty()) return false;
  std::error_code none;
  return std::filesystem::equivalent(a, b, none);
}

std::string counted(int64_t count, std::string_view one) {
  return str(with_commas(count), " ", one, count == 1 ? "" : "s");
}

std::string shard_name(const std::string& prefix, int64_t shard, int64_t shards,
                       const std::string& ending) {
  char number[48];
  std::snprintf(number, sizeof(number), "-%05lld-of-%05lld", static_cast<long long>(shard),
                static_cast<long long>(shards));
  return prefix + number + ending;
}

void parallel(int64_t count, int64_t threads, const std::function<void(int64_t)>& work) {
  const int size = static_cast<int>(std::clamp<int64_t>(threads, 1, std::max<int64_t>(count, 1)));
  ThreadPool pool(size);
  pool.parallel_tasks(count, size, [&](int64_t i, int) { work(i); });
}

int64_t processors() { return usable_processors(); }

}  // namespace tool::tfrecord
