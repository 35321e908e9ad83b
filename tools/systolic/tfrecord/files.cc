#include "tools/systolic/tfrecord/files.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <mutex>
#include <thread>

#include "systolic/base/error.h"
#include "systolic/io/file.h"

namespace tool::tfrecord {

using namespace systolic;

namespace {

constexpr uint64_t megabyte = 1'000'000;
constexpr int64_t most_files = 999;

}  // namespace

std::vector<std::string> expand(const std::vector<std::string>& patterns) {
  std::vector<std::string> files;
  for (const std::string& pattern : patterns) {
    const bool wild = pattern.find_first_of("*?[") != std::string::npos;
    if (!wild || (io::scheme_of(pattern).empty() && io::exists(pattern))) {
      files.push_back(pattern);
      continue;
    }
    for (std::string& file : io::glob(pattern, {})) files.push_back(std::move(file));
  }
  return files;
}

io::Compression compression_of(const std::string& file) {
  char first[8];
  const size_t count = io::File(file, {}).read(first, sizeof(first));
  const std::string_view kind = io::recognize({first, count});
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

io::TFRecordReader open_reader(const std::string& file, io::OnCorrupt on_corrupt) {
  return io::TFRecordReader(
      file, {.compression = compression_of(file), .on_corrupt = on_corrupt, .block_bytes = 1 << 20},
      {});
}

uint64_t bytes_of(const std::string& file) { return io::File(file, {}).size(); }

int64_t advised_shards(uint64_t bytes, int64_t cores) {
  const auto by_size = static_cast<int64_t>(bytes / (100 * megabyte));
  const auto of_least_size = static_cast<int64_t>(bytes / (10 * megabyte));
  const int64_t wanted = std::max(by_size, std::min(std::max<int64_t>(cores, 10), of_least_size));
  return std::clamp<int64_t>(wanted, 1, most_files);
}

std::string advice(size_t files, uint64_t bytes, int64_t cores) {
  const auto count = static_cast<int64_t>(files);
  const int64_t advised = advised_shards(bytes, cores);
  const std::string how =
      str("; the guides advise 10s to 100s of files of 10s to 100s of MB, here ", advised,
          ": systolic tfrecord shard --shards ", advised);
  if (count > most_files) return str("too many files, ", count, how);
  if (count > advised && bytes / files < 10 * megabyte) {
    return str("the files are too small, ", bytes_text(static_cast<int64_t>(bytes / files)),
               " each", how);
  }
  if (count < advised && (count < cores || bytes / files > 1000 * megabyte)) {
    return str("too few files for ", cores, " cores, ", count, how);
  }
  return "";
}

std::string shard_name(const std::string& prefix, int64_t shard, int64_t shards,
                       const std::string& ending) {
  char number[48];
  std::snprintf(number, sizeof(number), "-%05lld-of-%05lld", static_cast<long long>(shard),
                static_cast<long long>(shards));
  return prefix + number + ending;
}

void parallel(int64_t count, int64_t threads, const std::function<void(int64_t)>& work) {
  std::atomic<int64_t> next{0};
  std::mutex mutex;
  std::exception_ptr error;
  const auto run = [&] {
    for (int64_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (error == nullptr) error = std::current_exception();
        next = count;
      }
    }
  };
  std::vector<std::thread> pool;
  for (int64_t i = 1; i < std::min(count, threads); ++i) pool.emplace_back(run);
  run();
  for (std::thread& thread : pool) thread.join();
  if (error != nullptr) std::rethrow_exception(error);
}

int64_t processors() { return std::max(1u, std::thread::hardware_concurrency()); }

}  // namespace tool::tfrecord
