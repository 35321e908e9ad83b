#include "systolic/io/files/owner_lock.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/standard_streams.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/local_file_system.h"

namespace systolic::inline v0 {
namespace io {
namespace {

struct Owner {
  std::string host;
  int64_t process = 0;
};

Owner this_process() {
  char name[256] = {};
  ::gethostname(name, sizeof(name) - 1);
  return {name, ::getpid()};
}

std::string to_text(const Owner& owner) {
  return owner.host.empty() ? "" : str("process ", owner.process, " on ", owner.host);
}

// What the file says; an empty owner where it was cut short.
Owner owner_in(int descriptor) {
  char text[512];
  const ssize_t size = ::pread(descriptor, text, sizeof(text), 0);
  const std::vector<std::string> lines =
      split(std::string_view(text, static_cast<size_t>(std::max<ssize_t>(size, 0))), '\n');
  Owner owner;
  if (lines.size() < 3 || !parse_number(lines[1], owner.process) || owner.process <= 0) return {};
  owner.host = lines[0];
  return owner;
}

// Where there are no locks.
bool seems_alive(const Owner& owner) {
  if (owner.host.empty()) return false;
  if (owner.host != this_process().host) return true;
  return owner.process != ::getpid() &&
         (::kill(static_cast<pid_t>(owner.process), 0) == 0 || errno == EPERM);
}

// An owner removes its file before it lets go of the lock.
bool still_named(int descriptor, const std::string& path) {
  struct stat file {
  }, named{};
  if (::lstat(path.c_str(), &named) != 0) return false;
  return ::fstat(descriptor, &file) != 0 || file.st_nlink > 0;
}

[[noreturn]] void raise_owned(const std::string& path, const Owner& owner, std::string_view who,
                              SourceLocation location) {
  const std::string text = to_text(owner);
  raise<FailedPrecondition>({.what = str(who, ": another run has '", path, "', ",
                                         text.empty() ? "one that is just starting" : text),
                             .wanted = "a folder for each run",
                             .hint = str("give this run another folder, or end that one; remove '",
                                         path, "' if it is known to be over"),
                             .location = location});
}

void write_owner(int descriptor) {
  const Owner self = this_process();
  const std::string text = str(self.host, "\n", self.process, "\n");
  // A lock without a name is one, too.
  if (::ftruncate(descriptor, 0) == 0) write_all(descriptor, text.data(), text.size());
}

}  // namespace

OwnerLock::OwnerLock(const std::string& path, std::string_view who, SourceLocation location)
    : path_(path) {
  for (int attempt = 0;; ++attempt) {
    const int opened = above_standard_streams(
        ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (opened < 0) raise_file_error("cannot create the lock", path, errno, location);
    const bool locked = ::flock(opened, LOCK_EX | LOCK_NB) == 0;
    const bool refused = !locked && errno == EWOULDBLOCK;
    const Owner owner = owner_in(opened);
    if (locked && !still_named(opened, path) && attempt < 100) {  // let go of this moment
      ::close(opened);
      continue;
    }
    if (refused || (!locked && seems_alive(owner))) {
      ::close(opened);
      raise_owned(path, owner, who, location);
    }
    descriptor_ = opened;
    dead_owner_ = to_text(owner);
    write_owner(opened);
    return;
  }
}

OwnerLock::~OwnerLock() {
  ::unlink(path_.c_str());
  ::close(descriptor_);
}

}  // namespace io
}  // namespace systolic::inline v0
