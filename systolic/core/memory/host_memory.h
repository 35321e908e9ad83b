// Reference-counted host memory, aligned to 64 bytes: one allocation holds the count and the bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace systolic::inline v0 {

class HostMemory {
 public:
  HostMemory() = default;
  // `bytes` bytes, not initialized. `owner`, where given, lives as long as the memory: for bytes
  // that point into it. ResourceExhausted where the machine has less.
  explicit HostMemory(size_t bytes, std::shared_ptr<const void> owner = nullptr);
  // The same, and keeps other memory alive.
  HostMemory(size_t bytes, std::shared_ptr<const void> owner, HostMemory kept);
  HostMemory(const HostMemory& other) noexcept;
  HostMemory(HostMemory&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  HostMemory& operator=(HostMemory other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~HostMemory();

  explicit operator bool() const { return block_ != nullptr; }
  std::byte* data() const;
  // Nobody else holds this memory, and what others read from it has happened before this call.
  bool unique() const;

 private:
  struct Block;
  Block* block_ = nullptr;
};

}  // namespace systolic::inline v0
