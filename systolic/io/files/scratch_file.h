// What does not fit into memory, in a nameless file of a local folder: it is gone with its last
// reader, however the program ends. (Where a file system knows only files with names, it has one
// for the moment in which it is made.) The folder must lie on a disk: /tmp may be memory.
//
//   io::ScratchFile file("/var/tmp");
//   file.write(numbers.data(), numbers.size() * sizeof(int32_t));
//   const std::shared_ptr<const io::MappedFile> all = file.map();
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "systolic/io/files/file.h"

namespace systolic::inline v0 {
namespace io {

class ScratchFile {
 public:
  // An error names a folder that does not exist, or is not local.
  explicit ScratchFile(const std::string& folder,
                       SourceLocation location = SourceLocation::current());
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  // ResourceExhausted for a full disk.
  void write(const void* data, size_t size);
  // All that was written.
  std::shared_ptr<const MappedFile> map() const;

 private:
  std::string folder_;
  SourceLocation location_;
  int descriptor_ = -1;
  size_t size_ = 0;
};

}  // namespace io
}  // namespace systolic::inline v0
