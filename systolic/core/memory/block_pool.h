// Memory blocks kept for the next use: pipelines allocate and free millions of small arrays a
// second, often on different threads, and large ones whose pages the system would zero again each
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

namespace systolic::inline v0 {

// At least `bytes` bytes aligned to 64; nullptr where the machine has no more.
void* allocate_block(size_t bytes) noexcept;
// Gives back a block that was allocated with the same `bytes`. Any thread may do so.
void free_block(void* block, size_t bytes) noexcept;

// For standard containers that are made and destroyed as often.
template <class T>
struct BlockAllocator {
  using value_type = T;
  BlockAllocator() = default;
  template <class U>
  BlockAllocator(const BlockAllocator<U>&) noexcept {}  // NOLINT: allocators convert
  T* allocate(size_t count) {
    if (count > SIZE_MAX / sizeof(T)) throw std::bad_alloc();
    void* block = allocate_block(count * sizeof(T));
    if (block == nullptr) throw std::bad_alloc();
    return static_cast<T*>(block);
  }
  void deallocate(T* block, size_t count) noexcept { free_block(block, count * sizeof(T)); }
  friend bool operator==(const BlockAllocator&, const BlockAllocator&) { return true; }
};

}  // namespace systolic::inline v0
