#include "systolic/datasets/fetch/folder_in_progress.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "systolic/base/log.h"
#include "systolic/base/text.h"
#include "systolic/io/files/file.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

std::string marker_of(const std::string& folder) { return folder + "/.incomplete"; }

// Waits for whoever holds it. File systems without locks let all continue at once.
void lock_file(int file, const std::string& path, SourceLocation location) {
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) return;
  if (errno == EWOULDBLOCK) {
    log_info(str("another process fills the folder of '", path, "': waiting for it"));
    int status = 0;
    do status = ::flock(file, LOCK_EX);
    while (status != 0 && errno == EINTR);
    if (status == 0) return;
  }
  if (errno != ENOLCK && errno != EOPNOTSUPP)
    io::raise_file_error("cannot lock", path, errno, location);
}

bool has_name(int file) {
  struct stat status = {};
  return ::fstat(file, &status) == 0 && status.st_nlink > 0;
}

}  // namespace

FolderInProgress::FolderInProgress(const std::string& folder, SourceLocation location)
    : marker_(marker_of(folder)), location_(location) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) io::raise_file_error("cannot make the folder", folder, failed.value(), location);
  constexpr int readable_by_all = 0644;
  file_ = ::open(marker_.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, readable_by_all);
  if (file_ < 0) io::raise_file_error("cannot write", marker_, errno, location);
  try {
    lock_file(file_, marker_, location);
  } catch (...) {
    ::close(file_);
    throw;
  }
  // Whoever finishes the folder removes the file that others wait for.
  alone_ = has_name(file_);
}

FolderInProgress::~FolderInProgress() { ::close(file_); }

void FolderInProgress::finish() {
  if (::unlink(marker_.c_str()) != 0)
    io::raise_file_error("cannot remove", marker_, errno, location_);
}

bool is_in_progress(const std::string& folder, SourceLocation location) {
  if (!io::scheme_of(folder).empty()) return false;
  return io::exists(marker_of(folder), location) || io::exists(marker_of(folder + "/.."), location);
}

}  // namespace datasets
}  // namespace systolic::inline v0
