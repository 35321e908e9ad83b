// One interface to all places where files lie, chosen by what a path starts with: a path without a
// scheme is on the local disk, "gs://bucket/object" in Google Cloud Storage, "https://host/path" on
// a web server. Everything that takes a path (TFRecords, .npz, safetensors ...) reads and writes
// through it.
//
//   const auto file = io::file_system("gs://bucket/train.tfrec").open("gs://bucket/train.tfrec");
//
// Errors name the path and the machine that reads: NotFound, PermissionDenied, Unavailable (the
// server cannot be reached, or does not answer in time), DataLoss (other bytes came than were
// stored), FailedPrecondition (the file was replaced meanwhile), ResourceExhausted (disk full).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {
namespace io {

// Whether a file may hold this many bytes ahead of its reader, in all. Told of each change; less
// than before is always granted.
using ReadAheadRoom = std::function<bool(size_t bytes)>;

// An open file to read from. It reads what was there when it was opened: FailedPrecondition where a
// remote file is replaced meanwhile.
class ReadableFile {
 public:
  virtual ~ReadableFile() = default;
  virtual const std::string& path() const = 0;
  // Bytes; nothing where that is not known before the end (a pipe).
  virtual std::optional<uint64_t> size() const = 0;
  // Reads up to `size` bytes from where the last read ended; fewer only at the end of the file.
  virtual size_t read(void* buffer, size_t size) = 0;
  // Reads up to `size` bytes from `offset`; fewer only at the end of the file. Several threads may
  // call it.
  virtual size_t read_at(uint64_t offset, void* buffer, size_t size) = 0;
  // What read() has asked for ahead of its caller, and keeps or waits for.
  virtual size_t held_bytes() const { return 0; }
  // Later calls of read() ask `room`, on their caller's thread, before they add to held_bytes()
  // what they do not need to go on. Without one they read ahead as far as is of use.
  virtual void set_read_ahead_room(ReadAheadRoom) {}
};

// A file that is being written. It gets its name at commit(): until then, and forever without it, a
// reader sees the old file, never a part of the new one.
class WritableFile {
 public:
  virtual ~WritableFile() = default;
  virtual const std::string& path() const = 0;
  virtual void write(const void* data, size_t size) = 0;
  virtual void commit() = 0;
};

struct FileStatus {
  uint64_t bytes = 0;
  // Another number after each replacement: for gs:// the object's generation, for the local disk
  // the time of the last change in nanoseconds; 0 where the place has none.
  int64_t generation = 0;
  bool folder = false;
};

// All functions may be called by several threads.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  virtual std::unique_ptr<ReadableFile> open(
      const std::string& path, SourceLocation location = SourceLocation::current()) = 0;
  virtual std::unique_ptr<WritableFile> create(
      const std::string& path, SourceLocation location = SourceLocation::current()) = 0;
  // Nothing where there is no such file; an error where that cannot be known.
  virtual std::optional<FileStatus> status(const std::string& path,
                                           SourceLocation location = SourceLocation::current()) = 0;
  // Paths that match a shell pattern ("*", "?", "[a-z]"; none of them stands for a '/'), sorted.
  virtual std::vector<std::string> glob(const std::string& pattern,
                                        SourceLocation location = SourceLocation::current()) = 0;
  // The names in a folder, sorted, at most that many; none where there is no such folder.
  virtual std::vector<std::string> list(const std::string& folder, size_t most,
                                        SourceLocation location = SourceLocation::current()) = 0;
  // NotFound where there is no such file.
  virtual void remove(const std::string& path,
                      SourceLocation location = SourceLocation::current()) = 0;
  // Both in this file system. A file that has the new name is replaced. gs:// copies, then removes.
  virtual void rename(const std::string& from, const std::string& to,
                      SourceLocation location = SourceLocation::current()) = 0;
};

// "gs" of "gs://bucket/object"; empty where the path has none.
std::string_view scheme_of(std::string_view path);

// The file system of a path. Unimplemented for an unknown scheme, naming those that are known.
FileSystem& file_system(std::string_view path, SourceLocation location = SourceLocation::current());

// Adds a place for files, or replaces the one that is known under the scheme ("s3").
void register_file_system(const std::string& scheme, std::shared_ptr<FileSystem> file_system);

// Opens and closes each file, several at a time: a pipeline that is built names the first that
// cannot be read, instead of failing when it runs. Returns the bytes of all.
uint64_t check_readable(const std::vector<std::string>& paths,
                        SourceLocation location = SourceLocation::current());

// The name of the machine that runs this program, for errors that must say who reads.
std::string this_machine();

// What systolic/storage defines: the file system of "gs" or "https" (and "http"); null for others.
std::shared_ptr<FileSystem> open_remote_file_system(std::string_view scheme);

}  // namespace io
}  // namespace systolic::inline v0
