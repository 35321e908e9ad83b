#include "systolic/io/files/file_advice.h"

#include <algorithm>

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace io {
namespace {

constexpr uint64_t megabyte = 1'000'000;
constexpr int64_t most_files = 999;
constexpr int64_t few_files = 16;  // are opened in no time, however small

}  // namespace

int64_t advised_files(uint64_t bytes, int64_t cores) {
  const auto by_size = static_cast<int64_t>(bytes / (100 * megabyte));
  const auto of_least_size = static_cast<int64_t>(bytes / (10 * megabyte));
  const int64_t wanted = std::max(by_size, std::min(std::max<int64_t>(cores, 10), of_least_size));
  return std::clamp<int64_t>(wanted, 1, most_files);
}

std::string advice_on_files(size_t files, uint64_t bytes, int64_t cores) {
  if (files == 0) return "";
  const auto count = static_cast<int64_t>(files);
  const int64_t advised = advised_files(bytes, cores);
  const std::string how =
      str("; the guides advise 10s to 100s of files of 10s to 100s of MB, here ", advised,
          ": systolic tfrecord shard --shards ", advised);
  if (count > most_files) return str("too many files, ", with_commas(count), how);
  if (count > std::max(advised, few_files) && bytes / files < 10 * megabyte) {
    return str("the ", count, " files are too small, ",
               bytes_text(static_cast<int64_t>(bytes / files)), " each", how);
  }
  if (count < advised && (count < cores || bytes / files > 1000 * megabyte)) {
    return str("too few files for ", cores, cores == 1 ? " core, " : " cores, ", count, how);
  }
  return "";
}

}  // namespace io
}  // namespace systolic::inline v0
