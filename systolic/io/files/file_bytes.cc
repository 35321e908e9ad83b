#include "systolic/io/files/file_bytes.h"

#include <algorithm>

#include "systolic/io/files/read_range.h"

namespace systolic::inline v0 {
namespace io {
namespace {

using Piece = FileBytes::Piece;

Piece read_piece(LocalFile& file, uint64_t offset, uint64_t size) {
  // The disk holds as many bytes as that: no more memory than there is to read. Left as it is until
  // the bytes come.
  const std::shared_ptr<std::byte[]> bytes(new std::byte[size]);
  const uint64_t count = file.read_at(offset, bytes.get(), size);
  return {bytes.get(), count, bytes};
}

Piece piece_of_bytes(std::shared_ptr<const std::string> bytes, uint64_t offset, uint64_t size) {
  const auto* data = reinterpret_cast<const std::byte*>(bytes->data());
  return {data + offset, size, std::move(bytes)};
}

}  // namespace

FileBytes::FileBytes(const std::string& path, SourceLocation location) {
  if (scheme_of(path).empty()) {
    local_ = std::make_unique<LocalFile>(path, location);
    size_ = local_->size().value_or(0);
    return;
  }
  remote_ = std::make_unique<File>(path, location);
  size_ = remote_->size();
  if (remote_->size_is_known()) return;
  whole_ = std::make_shared<const std::string>(read_file(path, location));
  size_ = whole_->size();
}

FileBytes::Piece FileBytes::read(uint64_t offset, uint64_t size) const {
  if (whole_) return piece_of_bytes(whole_, offset, size);
  if (local_) return read_piece(*local_, offset, std::min(size, size_ - std::min(offset, size_)));
  auto bytes = read_range(*remote_, offset, size);
  return piece_of_bytes(bytes, 0, bytes->size());
}

uint64_t FileBytes::read_to(uint64_t offset, std::byte* to, uint64_t size) const {
  if (local_) return local_->read_at(offset, to, size);
  const Piece piece = read(offset, size);
  std::copy_n(piece.data, piece.size, to);
  return piece.size;
}

}  // namespace io
}  // namespace systolic::inline v0
