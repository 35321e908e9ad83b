#include "systolic/core/memory/host_memory.h"

#include <atomic>
#include <cstdint>
#include <new>

#include "systolic/base/error.h"
#include "systolic/core/memory/block_pool.h"

namespace systolic::inline v0 {
namespace {

constexpr size_t alignment = 64;

}  // namespace

struct alignas(alignment) HostMemory::Block {
  Block(size_t data_bytes, std::shared_ptr<const void> kept_owner, HostMemory kept_memory)
      : bytes(data_bytes), owner(std::move(kept_owner)), memory(std::move(kept_memory)) {}
  std::atomic<int64_t> references{1};
  const size_t bytes;
  std::shared_ptr<const void> owner;
  HostMemory memory;
};

HostMemory::HostMemory(size_t bytes, std::shared_ptr<const void> owner)
    : HostMemory(bytes, std::move(owner), HostMemory()) {}

HostMemory::HostMemory(size_t bytes, std::shared_ptr<const void> owner, HostMemory kept) {
  void* memory = bytes < SIZE_MAX / 2 ? allocate_block(sizeof(Block) + bytes) : nullptr;
  if (memory == nullptr) {
    raise<ResourceExhausted>({.what = str("no memory for an array of ", bytes, " bytes"),
                              .hint = "use smaller batches or read the data in pieces"});
  }
  block_ = new (memory) Block(bytes, std::move(owner), std::move(kept));
}

HostMemory::HostMemory(const HostMemory& other) noexcept : block_(other.block_) {
  if (block_ != nullptr) block_->references.fetch_add(1, std::memory_order_relaxed);
}

HostMemory::~HostMemory() {
  if (block_ == nullptr || block_->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const size_t bytes = sizeof(Block) + block_->bytes;
  block_->~Block();
  free_block(block_, bytes);
}

std::byte* HostMemory::data() const {
  return block_ == nullptr ? nullptr : reinterpret_cast<std::byte*>(block_ + 1);
}

bool HostMemory::unique() const {
  return block_ != nullptr && block_->references.load(std::memory_order_acquire) == 1;
}

}  // namespace systolic::inline v0
