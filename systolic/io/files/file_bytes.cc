#include "systolic/io/files/file_bytes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "systolic/io/files/read_range.h"

namespace systolic::inline v0 {
namespace io {
namespace {

constexpr uint64_t least_mapped = uint64_t{1} << 20;  // a process may have some 60,000 mappings

using Piece = FileBytes::Piece;

Piece map_piece(const LocalFile& file, uint64_t offset, uint64_t size) {
  static const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  const uint64_t before = offset % page, length = before + size;
  void* memory = ::mmap(nullptr, length, PROT_READ, MAP_PRIVATE, file.descriptor(),
                        static_cast<off_t>(offset - before));
  if (memory == MAP_FAILED) raise_file_error("cannot map", file.path(), errno);
  const auto* data = static_cast<const std::byte*>(memory);
  std::shared_ptr<const void> owner(
      data, [length](const void* start) { ::munmap(const_cast<void*>(start), length); });
  return {data + before, size, std::move(owner)};
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
  if (local_ && size >= least_mapped) return map_piece(*local_, offset, size);
  if (local_) {
    auto bytes = std::make_shared<std::string>(size, '\0');
    bytes->resize(local_->read_at(offset, bytes->data(), size));
    return piece_of_bytes(bytes, 0, bytes->size());
  }
  auto bytes = read_range(*remote_, offset, size);
  return piece_of_bytes(bytes, 0, bytes->size());
}

}  // namespace io
}  // namespace systolic::inline v0
