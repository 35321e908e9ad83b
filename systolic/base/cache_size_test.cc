#include "systolic/base/cache_size.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "systolic/base/text.h"

namespace systolic {
namespace {

std::string first_line(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

// What the kernel says of the first processor's, which the C library need not have asked.
std::optional<int64_t> kernels_second_level() {
  const std::filesystem::path caches = "/sys/devices/system/cpu/cpu0/cache";
  for (int i = 0; i < 8; ++i) {
    const std::filesystem::path cache = caches / str("index", i);
    const std::string size = first_line(cache / "size");  // "1024K"
    if (first_line(cache / "level") != "2" || size.empty() || size.back() != 'K') continue;
    int64_t kilobytes = 0;
    if (parse_number(size.substr(0, size.size() - 1), kilobytes)) return kilobytes << 10;
  }
  return std::nullopt;
}

TEST(CacheSize, IsWhatTheKernelSaysWithinBounds) {
  const int64_t bytes = second_level_cache_bytes();
  EXPECT_GE(bytes, 256 << 10);
  EXPECT_LE(bytes, 4 << 20);
  const std::optional<int64_t> told = kernels_second_level();
  if (!told) GTEST_SKIP() << "the kernel does not describe caches here";
  EXPECT_EQ(bytes, std::clamp<int64_t>(*told, 256 << 10, 4 << 20));
}

}  // namespace
}  // namespace systolic
