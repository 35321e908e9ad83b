#include "systolic/transformers/rows/row_store.h"

#include <algorithm>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

constexpr size_t numbers_of_a_block = 1 << 18;

}  // namespace

RowStore::RowStore(const std::string& scratch_folder, SourceLocation location) {
  if (scratch_folder.empty()) return;
  try {
    file_ = std::make_unique<io::ScratchFile>(scratch_folder, location);
  } catch (const Error& error) {
    error.rethrow_within("prepare_dataset's scratch_folder", location);
  }
}

RowStore::Block& RowStore::block_with_room(size_t numbers) {
  if (!blocks_.empty()) {
    Block& last = blocks_.back();
    if (last.numbers.size() + numbers <= last.numbers.capacity()) return last;
    if (file_) write(last);
  }
  if (!file_ || blocks_.empty()) blocks_.emplace_back();
  Block& block = blocks_.back();
  block.begin = this->numbers();
  block.numbers.reserve(std::max(numbers_of_a_block, numbers));
  return block;
}

void RowStore::add(std::span<const int32_t> row) {
  std::vector<int32_t>& numbers = block_with_room(row.size()).numbers;
  numbers.insert(numbers.end(), row.begin(), row.end());
  ends_.push_back(this->numbers() + static_cast<int64_t>(row.size()));
}

void RowStore::write(Block& block) {
  file_->write(block.numbers.data(), block.numbers.size() * sizeof(int32_t));
  block.numbers.clear();
}

void RowStore::finish() {
  if (!file_) return;
  for (Block& block : blocks_) write(block);
  blocks_.clear();
  mapped_ = file_->map();
  file_.reset();
}

std::span<const int32_t> RowStore::row(int64_t row) const {
  const int64_t begin = this->begin(row);
  const auto size = static_cast<size_t>(length(row));
  if (mapped_) {
    const std::span<const std::byte> bytes = mapped_->bytes();
    const std::span all(reinterpret_cast<const int32_t*>(bytes.data()),
                        bytes.size() / sizeof(int32_t));
    return all.subspan(static_cast<size_t>(begin), size);
  }
  const auto after =
      std::upper_bound(blocks_.begin(), blocks_.end(), begin,
                       [](int64_t number, const Block& block) { return number < block.begin; });
  const Block& block = *(after - 1);
  return std::span(block.numbers).subspan(static_cast<size_t>(begin - block.begin), size);
}

}  // namespace systolic::inline v0
