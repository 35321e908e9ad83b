// What targets share: reading that may fail by an Error, and files in memory.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "systolic/base/error.h"

namespace fuzz {

// A file that lies in memory and has a path.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : file_(memfd_create("fuzz", 0)) {
    if (file_ < 0) throw std::runtime_error("no file in memory");
    while (!bytes.empty()) {
      const ssize_t count = write(file_, bytes.data(), bytes.size());
      if (count <= 0) throw std::runtime_error("cannot write a file in memory");
      bytes.remove_prefix(static_cast<size_t>(count));
    }
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(file_); }

  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

template <class Read>
void attempt(const Read& read) {
  try {
    read();
  } catch (const systolic::Error&) {
  }
}

}  // namespace fuzz
