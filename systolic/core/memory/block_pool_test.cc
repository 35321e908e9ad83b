#include "systolic/core/memory/block_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
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

bool is_pooled() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
  return false;
#endif
#endif
  return true;
}

std::vector<unsigned char*> take(size_t count, size_t bytes) {
  std::vector<unsigned char*> blocks;
  for (size_t i = 0; i < count; ++i) {
    blocks.push_back(static_cast<unsigned char*>(allocate_block(bytes)));
  }
  return blocks;
}

void give_back(const std::vector<unsigned char*>& blocks, size_t bytes) {
  for (unsigned char* block : blocks) free_block(block, bytes);
}

constexpr size_t megabyte = size_t{1} << 20;

// What was written is still there, as it is not on a page that the system gave anew.
TEST(BlockPool, BatchesOfPicturesKeepTheirPages) {
  if (!is_pooled()) GTEST_SKIP() << "sanitizers get each block from the system";
  // What others left idle gives way.
  give_back(take(4, 96 * megabyte), 96 * megabyte);
  for (const size_t bytes : {19 * megabyte, 38 * megabyte + 64, 154 * megabyte}) {
    auto* block = take(1, bytes)[0];
    ASSERT_NE(block, nullptr);
    block[0] = block[bytes - 1] = 7;
    free_block(block, bytes);
    auto* again = take(1, bytes)[0];
    EXPECT_EQ(again, block) << bytes;
    EXPECT_EQ(again[0], 7) << bytes;
    EXPECT_EQ(again[bytes - 1], 7) << bytes;
    free_block(again, bytes);
  }
}

TEST(BlockPool, PagesBeyondTheIdleLimitGoBack) {
  if (!is_pooled()) GTEST_SKIP() << "sanitizers get each block from the system";
  constexpr size_t bytes = 96 * megabyte;
  std::vector<unsigned char*> blocks = take(4, bytes);
  for (unsigned char* block : blocks) block[0] = 7;
  give_back(blocks, bytes);
  blocks = take(4, bytes);
  // 256 MB hold two.
  EXPECT_EQ(std::count_if(blocks.begin(), blocks.end(), [](auto* block) { return block[0] == 7; }),
            2);
  give_back(blocks, bytes);
}

}  // namespace
}  // namespace systolic
