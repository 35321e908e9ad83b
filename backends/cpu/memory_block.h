// Memory of the software TPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "backends/cpu/plan/array_alignment.h"
#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace cpu {

// Bytes at a multiple of array_alignment (of huge pages where there are many), or the memory of a
// host array.
class MemoryBlock {
 public:
  // Not initialized. More than the machine has is a ResourceExhausted.
  explicit MemoryBlock(int64_t bytes);
  // The literal's own memory, shared; copied where another owner may change it (Literal::wrap), and
  // where it is not aligned.
  explicit MemoryBlock(const Literal& literal);
  // Blocks one after the other, put together when data() is asked for; from then on the pieces stay
  // beside the whole, in twice the memory, for programs that take them as they lie.
  explicit MemoryBlock(std::vector<std::shared_ptr<const MemoryBlock>> pieces);
  ~MemoryBlock();
  MemoryBlock(const MemoryBlock&) = delete;
  MemoryBlock& operator=(const MemoryBlock&) = delete;

  std::byte* data() const {
    if (!pieces_.empty()) put_together();
    return data_;
  }
  int64_t bytes() const { return bytes_; }
  // Nor is a host array written of which others have a part.
  bool writable() const { return borrowed_ ? owner_.is_alone() : pieces_.empty(); }
  // How often a program was given it to write to: while that is the same, so are the bytes.
  uint64_t version() const { return version_; }
  void will_be_written() { ++version_; }
  // Empty where it is one piece.
  const std::vector<std::shared_ptr<const MemoryBlock>>& pieces() const { return pieces_; }

 private:
  void allocate();  // for bytes_
  void put_together() const;

  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;  // constant: other threads may read it
  size_t room_ = 0;    // what was allocated
  bool borrowed_ = false;
  uint64_t version_ = 0;
  Literal owner_;
  std::vector<std::shared_ptr<const MemoryBlock>> pieces_;
  mutable std::once_flag together_;
};
using MemoryBlockPtr = std::shared_ptr<MemoryBlock>;

}  // namespace cpu
}  // namespace systolic::inline v0
