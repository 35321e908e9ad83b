#include "systolic/core/block_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

// Sanitizers find more when each block comes from the system.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SYSTOLIC_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define SYSTOLIC_SANITIZED 1
#endif
#endif

namespace systolic::inline v0 {
namespace {

#ifdef SYSTOLIC_SANITIZED
constexpr bool pooled = false;
#else
constexpr bool pooled = true;
#endif

constexpr size_t alignment = 64;
constexpr size_t largest_pooled = size_t{4} << 20;
// From here on a block is mapped by itself, so that its pages can go back to the system alone: in
// malloc's arenas, one a thread, what is freed between others stays.
constexpr size_t smallest_mapped = size_t{1} << 14;
// No machine has more; the system's allocators may end the process when asked for such sizes.
constexpr size_t largest_block = size_t{1} << 39;
// What may lie unused for all threads together, mapped or not, besides the threads' own short
// lists.
constexpr size_t most_idle_bytes = size_t{128} << 20;

// Sizes go in steps of 64 bytes up to 1024, then in four steps to each power of two.
constexpr size_t class_of(size_t bytes) {
  const size_t units = (bytes + alignment - 1) / alignment;
  if (units <= 16) return units == 0 ? 0 : units - 1;
  const auto octave = static_cast<size_t>(std::bit_width(units - 1)) - 5;  // 17 to 32 units: 0
  return 16 + 4 * octave + ((units - 1) >> (octave + 2)) - 4;
}
constexpr size_t size_of(size_t size_class) {
  if (size_class < 16) return (size_class + 1) * alignment;
  const size_t octave = (size_class - 16) / 4, step = (size_class - 16) % 4;
  return ((step + 5) << (octave + 2)) * alignment;
}
constexpr size_t class_count = class_of(largest_pooled) + 1;
static_assert(size_of(class_of(1025)) >= 1025 && size_of(class_of(4096)) == 4096 &&
              size_of(class_of(4097)) == 5120 && size_of(class_count - 1) == largest_pooled);

// A free block is a link in a chain of blocks of its class; the first one of a chain also links to
// the next chain.
struct Link {
  Link* next = nullptr;
  Link* next_chain = nullptr;
};

// Blocks change threads by the chain, so that the lock is taken once for many.
constexpr size_t chain_length(size_t size_class) {
  return std::clamp<size_t>((size_t{1} << 16) / size_of(size_class), 1, 64);
}
constexpr size_t first_mapped_class = class_of(smallest_mapped);
static_assert(size_of(first_mapped_class) == smallest_mapped);

struct SharedLists {
  std::mutex mutex;
  std::array<Link*, first_mapped_class> chains{};
  size_t idle_bytes = 0;
};

// Never destroyed: blocks are given back until the very end of the process.
SharedLists& shared_lists() {
  static auto& lists = *new SharedLists;
  return lists;
}

void free_chain(Link* chain) {
  while (chain != nullptr) std::free(std::exchange(chain, chain->next));
}

void give_chain(size_t size_class, Link* chain, size_t length) {
  const size_t bytes = length * size_of(size_class);
  SharedLists& lists = shared_lists();
  {
    const std::lock_guard lock(lists.mutex);
    if (lists.idle_bytes + bytes <= most_idle_bytes) {
      chain->next_chain = std::exchange(lists.chains[size_class], chain);
      lists.idle_bytes += bytes;
      return;
    }
  }
  free_chain(chain);
}

Link* take_chain(size_t size_class) {
  SharedLists& lists = shared_lists();
  const std::lock_guard lock(lists.mutex);
  Link* chain = lists.chains[size_class];
  if (chain == nullptr) return nullptr;
  lists.chains[size_class] = chain->next_chain;
  lists.idle_bytes -= chain_length(size_class) * size_of(size_class);
  return chain;
}

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

// The addresses stay: holes in a mapping would make it many, of which a process may have no more
// than 65,530.
void empty_block(MappedBlocks& blocks, size_t size_class, void* block) {
  ::madvise(block, size_of(size_class), MADV_DONTNEED);
  blocks.lists[size_class].empty.push_back(block);
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

void* map_another(MappedBlocks::List& list, size_t bytes) try {
  if (list.empty.capacity() == list.count) {
    const size_t room = 2 * list.count + 16;
    list.idle.reserve(room);
    list.empty.reserve(room);
  }
  void* block = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) return nullptr;
  ++list.count;
  return block;
} catch (const std::bad_alloc&) {
  return nullptr;
}

void* allocate_mapped(size_t size_class) {
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

void free_mapped(void* block, size_t size_class) {
  const size_t bytes = size_of(size_class);
  MappedBlocks& blocks = mapped_blocks();
  const std::lock_guard lock(blocks.mutex);
  blocks.used_bytes -= bytes;
  if (blocks.idle_bytes + bytes > most_idle_bytes) return empty_block(blocks, size_class, block);
  blocks.lists[size_class].idle.push_back(block);
  blocks.idle_bytes += bytes;
}

void* allocate_alone(size_t bytes) {
  const size_t units = std::max<size_t>(1, (bytes + alignment - 1) / alignment);
  return std::aligned_alloc(alignment, units * alignment);
}

// The lists of one thread. Trivial, so that it can be used while the thread's other objects are
// destroyed.
struct ThreadLists {
  struct List {
    Link* current = nullptr;
    size_t current_length = 0;
    Link* spare = nullptr;  // a whole chain, or none
  };
  std::array<List, first_mapped_class> lists{};
  bool guarded = false, closed = false;
};
thread_local ThreadLists thread_lists;

// Gives back what the thread holds when it ends.
struct ThreadGuard {
  ~ThreadGuard() {
    thread_lists.closed = true;
    for (size_t c = 0; c < first_mapped_class; ++c) {
      ThreadLists::List& list = thread_lists.lists[c];
      if (list.spare != nullptr) give_chain(c, list.spare, chain_length(c));
      free_chain(list.current);
      list = {};
    }
  }
};

ThreadLists* usable_lists() {
  ThreadLists& lists = thread_lists;
  if (lists.closed) return nullptr;
  if (!lists.guarded) {
    thread_local ThreadGuard guard;
    lists.guarded = true;
    static_cast<void>(guard);
  }
  return &lists;
}

}  // namespace

void* allocate_block(size_t bytes) noexcept {
  if (bytes > largest_block) return nullptr;
  if (!pooled || bytes > largest_pooled) return allocate_alone(bytes);
  const size_t size_class = class_of(bytes);
  if (size_class >= first_mapped_class) return allocate_mapped(size_class);
  ThreadLists* lists = usable_lists();
  if (lists == nullptr) return std::aligned_alloc(alignment, size_of(size_class));
  ThreadLists::List& list = lists->lists[size_class];
  if (list.current == nullptr) {
    list.current =
        list.spare != nullptr ? std::exchange(list.spare, nullptr) : take_chain(size_class);
    if (list.current == nullptr) return std::aligned_alloc(alignment, size_of(size_class));
    list.current_length = chain_length(size_class);
  }
  --list.current_length;
  Link* block = std::exchange(list.current, list.current->next);
  __builtin_prefetch(list.current, 1);  // the next one may have come from another thread's cache
  return block;
}

void free_block(void* block, size_t bytes) noexcept {
  if (!pooled || bytes > largest_pooled) return std::free(block);
  const size_t size_class = class_of(bytes);
  if (size_class >= first_mapped_class) return free_mapped(block, size_class);
  ThreadLists* lists = usable_lists();
  if (lists == nullptr) return std::free(block);
  ThreadLists::List& list = lists->lists[size_class];
  list.current = new (block) Link{.next = list.current, .next_chain = nullptr};
  if (++list.current_length < chain_length(size_class)) return;
  if (list.spare != nullptr) give_chain(size_class, list.spare, chain_length(size_class));
  list.spare = std::exchange(list.current, nullptr);
  list.current_length = 0;
}

}  // namespace systolic::inline v0
