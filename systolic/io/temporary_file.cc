#include "systolic/io/temporary_file.h"

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
#include "systolic/io/crc32c.h"

namespace systolic::inline v0 {
namespace io {
namespace {

constexpr int most_writers = 1000;  // of one file at a time

// Of the machine's name and number: names alone may be the same on several.
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

// A writer renames its file, or removes it, before it lets go of the lock: who gets the lock after
// that has a file of another name, or of none.
bool still_has_name(int descriptor, const std::string& path) {
  struct stat file {
  }, named{};
  return ::fstat(descriptor, &file) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         S_ISREG(file.st_mode) && file.st_nlink == 1 && file.st_ino == named.st_ino &&
         file.st_dev == named.st_dev;
}

int open_there(const std::string& path) {
  // Without waiting for the reader of a pipe that somebody put there.
  return above_standard_streams(
      ::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
}

bool lock(int descriptor) { return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0; }

enum class Try : uint8_t { got_it, not_this_one, again, failed };

Try open_one(TemporaryFile& file) {
  file.descriptor = above_standard_streams(
      ::open(file.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  const bool made = file.descriptor >= 0;
  if (!made && errno != EEXIST) return Try::failed;
  if (!made) file.descriptor = open_there(file.path);
  if (file.descriptor < 0) return errno == ENOENT ? Try::again : Try::not_this_one;
  if (lock(file.descriptor)) {
    if (still_has_name(file.descriptor, file.path) && ::ftruncate(file.descriptor, 0) == 0)
      return Try::got_it;
    ::close(file.descriptor);
    return made ? Try::again : Try::not_this_one;
  }
  if (made && errno != EWOULDBLOCK) return Try::got_it;  // no locks here
  ::close(file.descriptor);
  return Try::not_this_one;
}

// Those behind the one that is in use, where there were several writers at a time.
void remove_left_over(const std::string& path, int number) {
  for (; number < most_writers; ++number) {
    const std::string other = temporary_path(path, number);
    struct stat status {};
    if (::lstat(other.c_str(), &status) != 0) return;
    const int descriptor = open_there(other);
    if (descriptor < 0) continue;
    if (lock(descriptor) && still_has_name(descriptor, other)) ::unlink(other.c_str());
    ::close(descriptor);
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
