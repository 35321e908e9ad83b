#include "backends/cpu/memory_block.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

constexpr size_t alignment = 64;
constexpr size_t huge_page = size_t{1} << 21;

bool is_aligned(const void* data) { return reinterpret_cast<uintptr_t>(data) % alignment == 0; }

}  // namespace

void MemoryBlock::allocate(int64_t bytes) {
  bytes_ = bytes;
  const bool large = static_cast<size_t>(bytes) >= 2 * huge_page;
  const size_t step = large ? huge_page : alignment;
  const size_t rounded = (static_cast<size_t>(bytes) + step) / step * step;
  data_ = static_cast<std::byte*>(std::aligned_alloc(step, rounded));
  if (data_ == nullptr) {
    raise<ResourceExhausted>({.what = str("this machine has no ", bytes_text(bytes), " left"),
                              .hint = "use a smaller batch or model"});
  }
  // Few, large pages: matrices are walked column by column. Only advice; it may be refused.
  if (large) madvise(data_, rounded, MADV_HUGEPAGE);
}

MemoryBlock::MemoryBlock(int64_t bytes) { allocate(bytes); }

MemoryBlock::MemoryBlock(const Literal& literal) {
  if (literal.owns_memory() && is_aligned(literal.raw())) {
    owner_ = literal;
    borrowed_ = true;
    data_ = const_cast<std::byte*>(owner_.raw());  // never written: writable() is false
    bytes_ = static_cast<int64_t>(literal.byte_size());
    return;
  }
  allocate(static_cast<int64_t>(literal.byte_size()));
  if (bytes_ > 0) std::memcpy(data_, literal.raw(), static_cast<size_t>(bytes_));
}

MemoryBlock::~MemoryBlock() {
  if (!borrowed_) std::free(data_);
}

}  // namespace cpu
}  // namespace systolic::inline v0
