#include "backends/cpu/memory_block.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/core/memory/block_pool.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

constexpr size_t alignment = array_alignment;
constexpr size_t huge_page = size_t{1} << 21;

bool is_aligned(const void* data) { return reinterpret_cast<uintptr_t>(data) % alignment == 0; }
bool is_large(size_t room) { return room >= 2 * huge_page; }

}  // namespace

// All but large ones are kept for reuse: a program with a loop copies what it is given each time it
// runs, and malloc would take new pages from the system for that and give them back.
void MemoryBlock::allocate() {
  room_ = (static_cast<size_t>(bytes_) + alignment) / alignment * alignment;
  const bool large = is_large(room_);
  if (large) room_ = (room_ + huge_page - 1) / huge_page * huge_page;
  data_ =
      static_cast<std::byte*>(large ? std::aligned_alloc(huge_page, room_) : allocate_block(room_));
  if (data_ == nullptr) {
    raise<ResourceExhausted>({.what = str("this machine has no ", bytes_text(bytes_), " left"),
                              .hint = "use a smaller batch or model"});
  }
  // Few, large pages: matrices are walked column by column. Only advice; it may be refused.
  if (large) madvise(data_, room_, MADV_HUGEPAGE);
}

MemoryBlock::MemoryBlock(int64_t bytes) : bytes_(bytes) { allocate(); }

MemoryBlock::MemoryBlock(const Literal& literal)
    : bytes_(static_cast<int64_t>(literal.byte_size())) {
  if (literal.owns_memory() && is_aligned(literal.raw())) {
    owner_ = literal;
    borrowed_ = true;
    data_ = const_cast<std::byte*>(owner_.raw());  // written where writable() says so
    return;
  }
  allocate();
  if (bytes_ > 0) std::memcpy(data_, literal.raw(), static_cast<size_t>(bytes_));
}

MemoryBlock::MemoryBlock(std::vector<std::shared_ptr<const MemoryBlock>> pieces)
    : pieces_(std::move(pieces)) {
  for (const auto& piece : pieces_) bytes_ += piece->bytes();
}

void MemoryBlock::put_together() const {
  std::call_once(together_, [this] {
    auto& self = const_cast<MemoryBlock&>(*this);  // no block is made const
    self.allocate();
    std::byte* to = data_;
    for (const auto& piece : pieces_) {
      if (piece->bytes() == 0) continue;
      std::memcpy(to, piece->data(), static_cast<size_t>(piece->bytes()));
      to += piece->bytes();
    }
  });
}

MemoryBlock::~MemoryBlock() {
  if (borrowed_ || data_ == nullptr) return;
  is_large(room_) ? std::free(data_) : free_block(data_, room_);
}

}  // namespace cpu
}  // namespace systolic::inline v0
