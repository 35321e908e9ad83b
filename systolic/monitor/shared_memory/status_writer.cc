#include "systolic/monitor/shared_memory/status_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/monitor/sampler/process_start.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

constexpr time_t hour = 60 * 60;

void remove_old(const Descriptor& folder, const std::string& path) {
  for (const int64_t process : processes_in(path)) {
    const std::string name = str(process);
    struct stat found {};
    if (process_start(process) >= 0) continue;
    if (fstatat(folder.number(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (std::time(nullptr) - found.st_mtime > hour) unlinkat(folder.number(), name.c_str(), 0);
  }
}

[[noreturn]] void raise_unwritten(const std::string& what, int code) {
  raise<Unavailable>({.what = what,
                      .got = std::strerror(code),
                      .hint = "the run goes on; systolic monitor does not see it"});
}

}  // namespace

StatusWriter::StatusWriter(const std::string& folder)
    : folder_(open_status_folder(folder, true)), name_(str(getpid())) {
  remove_old(folder_, folder);
  // What an earlier process of this number left.
  unlinkat(folder_.number(), name_.c_str(), 0);
  const std::string path = folder + "/" + name_;
  file_ = Descriptor(openat(folder_.number(), name_.c_str(),
                            O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file_.is_open()) raise_unwritten(str("cannot make '", path, "'"), errno);
  const int full = posix_fallocate(file_.number(), 0, sizeof(StatusHeader) + sizeof(RunStatus));
  if (full == 0) return;
  unlinkat(folder_.number(), name_.c_str(), 0);
  raise_unwritten(str("cannot write '", path, "'"), full);
}

StatusWriter::~StatusWriter() { unlinkat(folder_.number(), name_.c_str(), 0); }

void StatusWriter::write_at(int64_t offset, const void* data, size_t bytes) {
  const ssize_t written = pwrite(file_.number(), data, bytes, offset);
  if (written != static_cast<ssize_t>(bytes)) raise_unwritten("cannot write the status", errno);
}

void StatusWriter::write(const RunStatus& status) {
  ++header_.sequence;
  write_at(0, &header_, sizeof header_);
  write_at(sizeof header_, &status, sizeof status);
  ++header_.sequence;
  write_at(0, &header_, sizeof header_);
}

}  // namespace monitor
}  // namespace systolic::inline v0
