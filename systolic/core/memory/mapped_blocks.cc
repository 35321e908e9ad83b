#include "systolic/core/memory/mapped_blocks.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <vector>

#include "systolic/core/memory/block_sizes.h"

namespace systolic::inline v0 {
namespace blocks {
namespace {

// Mapped blocks have no other lists than these.
struct MappedBlocks {
  struct List {
    std::vector<void*> idle;   // with their pages
    std::vector<void*> empty;  // addresses whose pages went back
    size_t count = 0;          // of these and of those in use; both vectors have room for all
    uint64_t last_taken = 0;
  };
  std::mutex mutex;
  std::array<List, class_count> lists;
  size_t used_bytes = 0, idle_bytes = 0, most_used_bytes = 0;
  uint64_t taken = 0;  // how often any was
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

// Empties idle blocks until no more than `most` bytes are idle, of the sizes first that were wanted
// longest ago: what a model or an earlier pipeline left does not keep out what one needs now.
void keep_idle(MappedBlocks& blocks, size_t most) {
  while (blocks.idle_bytes > most) {
    size_t oldest = class_count;
    for (size_t c = class_count; c-- > first_mapped_class;) {
      const MappedBlocks::List& list = blocks.lists[c];
      if (list.idle.empty()) continue;
      if (oldest == class_count || list.last_taken < blocks.lists[oldest].last_taken) oldest = c;
    }
    blocks.idle_bytes -= size_of(oldest);
    empty_block(blocks, oldest, take_last(blocks.lists[oldest].idle));
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
  if (block == nullptr) {
    keep_idle(blocks, 0);  // what the system lacks may be what lies here
    block = map_another(list, bytes);
  }
  if (block == nullptr) return nullptr;
  blocks.used_bytes += bytes;
  blocks.most_used_bytes = std::max(blocks.most_used_bytes, blocks.used_bytes);
  list.last_taken = ++blocks.taken;
  // Idle blocks and those in use are no more than were ever in use at once: a pipeline whose blocks
  // change their size does not hold both kinds.
  keep_idle(blocks, blocks.most_used_bytes - blocks.used_bytes);
  return block;
}

void free_mapped(void* block, size_t size_class) noexcept {
  const size_t bytes = size_of(size_class);
  MappedBlocks& blocks = mapped_blocks();
  const std::lock_guard lock(blocks.mutex);
  blocks.used_bytes -= bytes;
  blocks.lists[size_class].idle.push_back(block);
  blocks.idle_bytes += bytes;
  keep_idle(blocks, most_idle_mapped_bytes);
}

}  // namespace blocks
}  // namespace systolic::inline v0
