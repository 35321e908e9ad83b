#include "systolic/io/files/durable_names.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

#include "systolic/base/standard_streams.h"
#include "systolic/io/files/file.h"

namespace systolic::inline v0 {
namespace io {
namespace {

// "" for a name without a folder.
std::string folder_of(const std::string& path) {
  const size_t last = path.find_last_not_of('/');
  const size_t slash = last == std::string::npos ? 0 : path.rfind('/', last);
  if (last == std::string::npos || slash == std::string::npos) return "";
  return path.substr(0, slash + 1);
}

}  // namespace

void sync_folder_of(const std::string& path, SourceLocation location) {
  const std::string folder = folder_of(path);
  const int opened = above_standard_streams(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened < 0) return;
  const bool flushed = ::fsync(opened) == 0;
  const int error = errno;
  ::close(opened);
  if (flushed || (error != EIO && error != ENOSPC && error != EDQUOT)) return;
  raise_file_error("cannot flush the folder of", path, error, location);
}

std::string without_links(const std::string& path, SourceLocation location) {
  constexpr int most_links = 40;  // as the kernel follows
  std::string real = path;
  for (int links = 0;; ++links) {
    char target[PATH_MAX];
    const ssize_t size = ::readlink(real.c_str(), target, sizeof(target));
    if (size < 0) return real;
    if (links == most_links) raise_file_error("cannot follow the link", path, ELOOP, location);
    const std::string next(target, static_cast<size_t>(size));
    real = next.starts_with('/') ? next : folder_of(real) + next;
  }
}

}  // namespace io
}  // namespace systolic::inline v0
