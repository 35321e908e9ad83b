#include "systolic/io/files/temporary_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "systolic/base/standard_streams.h"
#include "systolic/base/text.h"
#include "systolic/io/encoding/crc32c.h"

namespace systolic::inline v0 {
namespace io {
namespace {

constexpr int most_writers = 1000;      // of one file at a time
constexpr int most_gone_in_a_row = 16;  // that is: of numbers whose writers were done before others

// By the machine's name and number: names alone may be the same on several.
std::string host_tag() {
  char name[256] = {};
  ::gethostname(name, sizeof(name) - 1);
  std::ifstream number("/etc/machine-id");
  const std::string text =
      name + std::string(std::istreambuf_iterator<char>(number), std::istreambuf_iterator<char>());
  char tag[16];
  std::snprintf(tag, sizeof(tag), "%08x", crc32c(text.data(), text.size()));
  return tag;
}

std::string temporary_path(const std::string& path, int number) {
  static const std::string tag = host_tag();
  return str(path, ".tmp-", tag, "-", number);
}

// A writer renames its file, or removes it, before it lets go of the lock: whoever gets the lock
// after that has a file of another name, or of none.
bool still_has_name(int descriptor, const std::string& path) {
  struct stat file {
  }, named{};
  return ::fstat(descriptor, &file) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         S_ISREG(file.st_mode) && file.st_nlink == 1 && file.st_ino == named.st_ino &&
         file.st_dev == named.st_dev;
}

// Whether somebody took the new file for a dead writer's before it was locked. Some file systems
// (FUSE, SMB) count links in their own way or number a file anew each time: a file of another
// number that was not removed is taken for ours, as where there are no locks.
bool lost_its_name(int descriptor, const std::string& path) {
  struct stat file {
  }, named{};
  if (::lstat(path.c_str(), &named) != 0) return true;
  if (::fstat(descriptor, &file) != 0) return false;
  const bool same = file.st_ino == named.st_ino && file.st_dev == named.st_dev;
  return !same && file.st_nlink == 0;
}

int open_there(const std::string& path) {
  // Without waiting for the reader of a pipe that somebody put there.
  return above_standard_streams(
      ::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
}

bool lock(int descriptor) { return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0; }

enum class Try : uint8_t { got_it, not_this_one, again, failed };

// A dead writer's file is not used again: its owner and its mode are another's, who may have kept
// it open.
bool remove_dead(const std::string& path) {
  const int descriptor = open_there(path);
  if (descriptor < 0) return errno == ENOENT;
  const bool removed =
      lock(descriptor) && still_has_name(descriptor, path) && ::unlink(path.c_str()) == 0;
  ::close(descriptor);
  return removed;
}

Try open_one(TemporaryFile& file) {
  file.descriptor = above_standard_streams(
      ::open(file.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (file.descriptor < 0) {
    if (errno != EEXIST) return Try::failed;
    return remove_dead(file.path) ? Try::again : Try::not_this_one;
  }
  const bool locked = lock(file.descriptor);
  if (!locked && errno != EWOULDBLOCK) return Try::got_it;  // no locks here
  if (locked && !lost_its_name(file.descriptor, file.path)) return Try::got_it;
  ::close(file.descriptor);
  return locked ? Try::again : Try::not_this_one;
}

// Those after the one that is in use, where there were several writers at a time.
void remove_left_over(const std::string& path, int number) {
  for (int gone = 0; number < most_writers && gone <= most_gone_in_a_row; ++number) {
    const std::string other = temporary_path(path, number);
    struct stat status {};
    gone = ::lstat(other.c_str(), &status) == 0 ? 0 : gone + 1;
    if (gone == 0) remove_dead(other);
  }
}

}  // namespace

TemporaryFile open_temporary_file(const std::string& path) {
  int number = 0;
  for (int attempts = 0; attempts < 2 * most_writers && number < most_writers; ++attempts) {
    TemporaryFile file{.path = temporary_path(path, number)};
    switch (open_one(file)) {
      case Try::got_it:
        remove_left_over(path, number + 1);
        return file;
      case Try::not_this_one:
        ++number;
        break;
      case Try::again:
        break;
      case Try::failed:
        return {.path = file.path};
    }
  }
  errno = EBUSY;
  return {.path = temporary_path(path, number)};
}

}  // namespace io
}  // namespace systolic::inline v0
