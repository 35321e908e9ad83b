// Files by path: whole reads, mappings, atomic writes, and patterns of names. A path is on the
// local disk, or in a place that io/files/file_system.h knows by its scheme: "gs://bucket/object",
// "https://host/path".
//
// Errors name the path and what the system or the server said: NotFound, PermissionDenied,
// ResourceExhausted (disk full), Unavailable, or what io/files/file_system.h adds for remote files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/core/literal.h"
#include "systolic/io/files/file_system.h"

namespace systolic::inline v0 {
namespace io {

// Throws the error that fits errno: raise_file_error("cannot open", path, errno, location).
[[noreturn]] void raise_file_error(std::string_view what, std::string_view path, int error_number,
                                   SourceLocation location = {});

// An open file to read from. InvalidArgument for a directory.
class File {
 public:
  explicit File(const std::string& path, SourceLocation location = SourceLocation::current());

  const std::string& path() const { return file_->path(); }
  // Bytes; 0 where that is not known before the end (a pipe).
  uint64_t size() const { return file_->size().value_or(0); }
  bool size_is_known() const { return file_->size().has_value(); }
  // Reads up to `size` bytes from where the last read ended; fewer only at the end of the file.
  size_t read(void* buffer, size_t size) { return file_->read(buffer, size); }
  // Reads up to `size` bytes from `offset`; fewer only at the end of the file.
  size_t read_at(uint64_t offset, void* buffer, size_t size) {
    return file_->read_at(offset, buffer, size);
  }
  // What is read ahead of a remote file, and who is asked before it grows.
  size_t held_bytes() const { return file_->held_bytes(); }
  void set_read_ahead_room(ReadAheadRoom room) { file_->set_read_ahead_room(std::move(room)); }

 private:
  std::unique_ptr<ReadableFile> file_;
};

// A file's bytes in memory, read only, without reading those that are not used (a remote file is
// read whole). Kept alive by shared_ptr, so that arrays can point into it. A file that another
// program truncates meanwhile ends the process (SIGBUS): do not map files that are being written.
class MappedFile {
 public:
  static std::shared_ptr<const MappedFile> open(
      const std::string& path, SourceLocation location = SourceLocation::current());
  // The first `size` bytes of a file that is open; `path` is for errors.
  static std::shared_ptr<const MappedFile> of_descriptor(int descriptor, size_t size,
                                                         const std::string& path,
                                                         SourceLocation location);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  MappedFile() = default;
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
  std::string content_;  // of a remote file
};

// Whether there is a file or a folder of this path.
bool exists(const std::string& path, SourceLocation location = SourceLocation::current());
std::string read_file(const std::string& path, SourceLocation location = SourceLocation::current());
// The same for a path in an array: one string.
std::string read_file(const Literal& path, SourceLocation location = SourceLocation::current());

// Writes a file that gets its name at commit(), so that a reader sees the old file or the whole new
// one, never a part. Without commit() nothing remains of it. On the local disk it is written under
// a temporary name next to the final one.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path, SourceLocation location = SourceLocation::current());

  const std::string& path() const { return file_->path(); }
  void write(const void* data, size_t size) { file_->write(data, size); }
  void write(std::string_view bytes) { write(bytes.data(), bytes.size()); }
  // Flushes to the disk and gives the file its name.
  void commit() { file_->commit(); }

 private:
  std::unique_ptr<WritableFile> file_;
};

// Writes these bytes as an AtomicFile, in place of a file that was there.
void write_file(const std::string& path, std::string_view bytes,
                SourceLocation location = SourceLocation::current());

// Paths that match a shell pattern ("*", "?", "[a-z]"), sorted. NotFound where none does, saying
// what lies in the folder.
//   io::glob("data/train-*.tfrec")
std::vector<std::string> glob(const std::string& pattern,
                              SourceLocation location = SourceLocation::current());

}  // namespace io
}  // namespace systolic::inline v0
