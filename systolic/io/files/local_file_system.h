// Files on the local disk.
#pragma once

#include <string>

#include "systolic/io/files/file_system.h"

namespace systolic::inline v0 {
namespace io {

FileSystem& local_file_system();

// InvalidArgument for the path of a directory, a device or a pipe. Called before opening, which
// waits until somebody writes to a pipe.
void check_regular_file(const std::string& path, SourceLocation location);

// False, with errno, where it cannot be written whole.
bool write_all(int descriptor, const void* data, size_t size);

// An open file on the local disk. InvalidArgument for a directory or a device.
class LocalFile : public ReadableFile {
 public:
  LocalFile(const std::string& path, SourceLocation location);
  ~LocalFile() override;
  LocalFile(const LocalFile&) = delete;
  LocalFile& operator=(const LocalFile&) = delete;

  const std::string& path() const override { return path_; }
  std::optional<uint64_t> size() const override { return size_; }
  size_t read(void* buffer, size_t size) override;
  size_t read_at(uint64_t offset, void* buffer, size_t size) override;
  int descriptor() const { return descriptor_; }

 private:
  std::string path_;
  int descriptor_ = -1;
  std::optional<uint64_t> size_;  // of a regular file
};

}  // namespace io
}  // namespace systolic::inline v0
