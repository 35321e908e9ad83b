#include "systolic/core/block_pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace systolic {
namespace {

TEST(BlockPool, BlocksAreAlignedAndLargeEnough) {
  std::vector<std::pair<void*, size_t>> blocks;
  for (size_t bytes = 0; bytes < (size_t{9} << 20); bytes += bytes < 3000 ? 1 : bytes / 7) {
    void* block = allocate_block(bytes);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u);
    std::memset(block, static_cast<int>(bytes), bytes);
    blocks.emplace_back(block, bytes);
  }
  for (const auto& [block, bytes] : blocks) {
    const auto* data = static_cast<const unsigned char*>(block);
    for (size_t i = 0; i < bytes; i += 1 + bytes / 50)
      ASSERT_EQ(data[i], static_cast<unsigned char>(bytes));
  }
  for (const auto& [block, bytes] : blocks) free_block(block, bytes);
  EXPECT_EQ(allocate_block(SIZE_MAX - 5), nullptr);
}

TEST(BlockPool, BlocksTravelBetweenThreads) {
  std::mutex mutex;
  std::vector<std::pair<unsigned char*, size_t>> waiting;
  int errors = 0;
  auto work = [&](unsigned seed) {
    for (int i = 0; i < 20000; ++i) {
      seed = seed * 1664525u + 1013904223u;
      const size_t bytes = 16 + seed % 3000;
      auto* block = static_cast<unsigned char*>(allocate_block(bytes));
      block[0] = block[bytes - 1] = static_cast<unsigned char>(bytes);
      const std::lock_guard lock(mutex);
      waiting.emplace_back(block, bytes);
      if (waiting.size() < 100) continue;
      std::swap(waiting[seed % 100], waiting.back());
      const auto [other, size] = waiting.back();
      waiting.pop_back();
      errors += other[0] != static_cast<unsigned char>(size) ||
                other[size - 1] != static_cast<unsigned char>(size);
      free_block(other, size);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
  for (const auto& [block, bytes] : waiting) free_block(block, bytes);
  EXPECT_EQ(errors, 0);
}

}  // namespace
}  // namespace systolic
