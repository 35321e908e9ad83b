#include "systolic/models/row_store.h"

namespace systolic::inline v0 {
namespace {

constexpr size_t numbers_at_once = 1 << 18;  // that are written

}  // namespace

RowStore::RowStore(const std::string& scratch_folder, SourceLocation location) {
  if (!scratch_folder.empty()) file_ = std::make_unique<io::ScratchFile>(scratch_folder, location);
}

void RowStore::add(std::span<const int32_t> row) {
  numbers_.insert(numbers_.end(), row.begin(), row.end());
  ends_.push_back((ends_.empty() ? 0 : ends_.back()) + static_cast<int64_t>(row.size()));
  if (file_ && numbers_.size() >= numbers_at_once) flush();
}

void RowStore::flush() {
  file_->write(numbers_.data(), numbers_.size() * sizeof(int32_t));
  numbers_.clear();
}

void RowStore::finish() {
  ends_.shrink_to_fit();
  if (file_) {
    flush();
    mapped_ = file_->map();
    file_.reset();
  }
  numbers_.shrink_to_fit();
}

std::span<const int32_t> RowStore::row(int64_t row) const {
  const std::span<const int32_t> all =
      mapped_ ? std::span(reinterpret_cast<const int32_t*>(mapped_->bytes().data()),
                          mapped_->bytes().size() / sizeof(int32_t))
              : std::span(numbers_);
  return all.subspan(static_cast<size_t>(begin(row)), static_cast<size_t>(length(row)));
}

}  // namespace systolic::inline v0
