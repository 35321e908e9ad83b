#include "systolic/core/mapped_blocks.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <vector>

#include "systolic/core/block_sizes.h"

namespace systolic::inline v0 {
namespace blocks {
namespace {

// Mapped blocks have no other lists than these.
struct MappedBlocks {
  struct List {
    std::vector<void*> idle;   // with their pages
    std::vector<void*> empty;  // addresses whose pages went back
    size_t count = 0;          // of these and of those in use; both vectors have room for all
  };
  std::mutex mutex;
  std::array<List, class_count> lists;
  size_t used_bytes = 0, idle_bytes = 0, most_used_bytes = 0;
};

MappedBlocks& mapped_blocks() {
  static auto& blocks = *new MappedBlocks;
  return blocks;
}

void* take_last(std::vector<void*>& blocks) {
  if (blocks.empty()) return nullptr;
  void* block = blocks.back();
  blocks.pop_back();
  return block;
}

// The addresses of all but huge blocks stay: holes in a mapping would make it many, of which a
// process may have no more than 65,530.
void empty_block(MappedBlocks& blocks, size_t size_class, void* block) {
  MappedBlocks::List& list = blocks.lists[size_class];
  if (is_huge(size_class) && ::munmap(block, size_of(size_class)) == 0) {
    --list.count;
    return;
  }
  ::madvise(block, size_of(size_class), MADV_DONTNEED);
  list.empty.push_back(block);
}

// Empties idle blocks until they and those in use are no more than were ever in use at once: a
// pipeline whose blocks change their size does not hold both kinds.
void empty_surplus(MappedBlocks& blocks) {
  for (size_t c = class_count; c-- > first_mapped_class;) {
    while (blocks.used_bytes + blocks.idle_bytes > blocks.most_used_bytes) {
      void* block = take_last(blocks.lists[c].idle);
      if (block == nullptr) break;
      blocks.idle_bytes -= size_of(c);
      empty_block(blocks, c, block);
    }
  }
}

void* map(size_t bytes) {
  void* block = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return block == MAP_FAILED ? nullptr : block;
}

// From an address on where a huge page begins: one more is mapped, and what is too much goes back.
void* map_huge(size_t bytes) {
  auto* start = static_cast<std::byte*>(map(bytes + huge_page));
  if (start == nullptr) return nullptr;
  const size_t before = -reinterpret_cast<uintptr_t>(start) % huge_page;
  std::byte* block = start + before;
  if (before > 0) ::munmap(start, before);
  ::munmap(block + bytes, huge_page - before);
  ::madvise(block, bytes, MADV_HUGEPAGE);  // only advice; it may be refused
  return block;
}

void* map_another(MappedBlocks::List& list, size_t bytes) try {
  if (list.empty.capacity() == list.count) {
    const size_t room = 2 * list.count + 16;
    list.idle.reserve(room);
    list.empty.reserve(room);
  }
  void* block = bytes >= smallest_huge ? map_huge(bytes) : map(bytes);
  if (block != nullptr) ++list.count;
  return block;
} catch (const std::bad_alloc&) {
  return nullptr;
}

}  // namespace

void* allocate_mapped(size_t size_class) noexcept {
  const size_t bytes = size_of(size_class);
  MappedBlocks& blocks = mapped_blocks();
  const std::lock_guard lock(blocks.mutex);
  MappedBlocks::List& list = blocks.lists[size_class];
  void* block = take_last(list.idle);
  if (block != nullptr) blocks.idle_bytes -= bytes;
  if (block == nullptr) block = take_last(list.empty);
  if (block == nullptr) block = map_another(list, bytes);
  if (block == nullptr) return nullptr;
  blocks.used_bytes += bytes;
  blocks.most_used_bytes = std::max(blocks.most_used_bytes, blocks.used_bytes);
  empty_surplus(blocks);
  return block;
}

void free_mapped(void* block, size_t size_class) noexcept {
  const size_t bytes = size_of(size_class);
  MappedBlocks& blocks = mapped_blocks();
  const std::lock_guard lock(blocks.mutex);
  blocks.used_bytes -= bytes;
  if (blocks.idle_bytes + bytes > most_idle_mapped_bytes)
    return empty_block(blocks, size_class, block);
  blocks.lists[size_class].idle.push_back(block);
  blocks.idle_bytes += bytes;
}

}  // namespace blocks
}  // namespace systolic::inline v0
