// Files of the local disk: whole reads, mappings, atomic writes, and patterns of names.
//
// Errors name the path and what the system said: NotFound, PermissionDenied, ResourceExhausted
// (disk full) or Unavailable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {
namespace io {

// Throws the error that fits errno: raise_file_error("cannot open", path, errno, location).
[[noreturn]] void raise_file_error(std::string_view what, std::string_view path, int error_number,
                                   SourceLocation location = {});

// An open file to read from. A directory is an InvalidArgument.
class File {
 public:
  explicit File(const std::string& path, SourceLocation location = SourceLocation::current());
  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File();

  const std::string& path() const { return path_; }
  // Bytes; 0 for what is not a regular file (a pipe).
  uint64_t size() const { return size_; }
  bool regular() const { return regular_; }
  // Reads up to `size` bytes from where the last read ended; fewer only at the end of the file.
  size_t read(void* buffer, size_t size);

 private:
  friend class MappedFile;
  std::string path_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
  bool regular_ = false;
};

// A file's bytes in memory, read only, without reading those that are not used. Kept alive by
// shared_ptr, so that arrays can point into it. A file that another program truncates meanwhile
// ends the process (SIGBUS): do not map files that are being written.
class MappedFile {
 public:
  static std::shared_ptr<const MappedFile> open(
      const std::string& path, SourceLocation location = SourceLocation::current());
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  MappedFile() = default;
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
};

bool exists(const std::string& path);
std::string read_file(const std::string& path, SourceLocation location = SourceLocation::current());

// Writes a file under a temporary name beside it and renames it at commit(), so that a reader sees
// the old file or the whole new one, never a part. Without commit() the temporary file is removed.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path, SourceLocation location = SourceLocation::current());
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  const std::string& path() const { return path_; }
  void write(const void* data, size_t size);
  void write(std::string_view bytes) { write(bytes.data(), bytes.size()); }
  // Flushes to the disk and gives the file its name.
  void commit();

 private:
  std::string path_, temporary_path_;
  int descriptor_ = -1;
};

void write_file(const std::string& path, std::string_view bytes,
                SourceLocation location = SourceLocation::current());

// Paths that match a shell pattern ("*", "?", "[a-z]"), sorted. None is a NotFound that says what
// lies in the folder.
//   io::glob("data/train-*.tfrec")
std::vector<std::string> glob(const std::string& pattern,
                              SourceLocation location = SourceLocation::current());

}  // namespace io
}  // namespace systolic::inline v0
