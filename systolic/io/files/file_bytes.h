// Pieces of a file where they are needed: each is read, or asked for, and is the caller's own then.
// A file that another program rewrites or truncates changes none of them; what is mapped would
// change, or end the process (SIGBUS).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "systolic/base/source_location.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/local_file_system.h"

namespace systolic::inline v0 {
namespace io {

class FileBytes {
 public:
  explicit FileBytes(const std::string& path, SourceLocation location = SourceLocation::current());
  // The same for a file that is in memory.
  explicit FileBytes(std::shared_ptr<const std::string> whole)
      : whole_(std::move(whole)), size_(whole_->size()) {}

  struct Piece {
    const std::byte* data = nullptr;
    uint64_t size = 0;
    std::shared_ptr<const void> owner;
  };
  uint64_t size() const { return size_; }
  // That of an open local file; -1 for others.
  int descriptor() const { return local_ ? local_->descriptor() : -1; }
  // A place within the file. Fewer bytes than asked for where the file has become shorter.
  Piece read(uint64_t offset, uint64_t size) const;
  // The same into memory of the caller's; how many bytes came.
  uint64_t read_to(uint64_t offset, std::byte* to, uint64_t size) const;

 private:
  std::unique_ptr<LocalFile> local_;
  std::unique_ptr<File> remote_;
  std::shared_ptr<const std::string> whole_;  // of a server that does not say how much there is
  uint64_t size_ = 0;
};

}  // namespace io
}  // namespace systolic::inline v0
