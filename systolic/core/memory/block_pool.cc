#include "systolic/core/memory/block_pool.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

#include "systolic/base/sanitized.h"
#include "systolic/core/memory/block_sizes.h"
#include "systolic/core/memory/mapped_blocks.h"

namespace systolic::inline v0 {

using namespace blocks;

namespace {

// Sanitizers find more when each block comes from the system.
constexpr bool pooled = !is_sanitized;

// No machine has more; the system's allocators may end the process when asked for such sizes.
constexpr size_t largest_block = size_t{1} << 39;

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
    if (lists.idle_bytes + bytes <= most_idle_small_bytes) {
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
