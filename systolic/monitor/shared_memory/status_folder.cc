#include "systolic/monitor/shared_memory/status_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

bool is_folder(const char* path) {
  struct stat found {};
  return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

struct Found {
  int64_t process = 0;
  timespec written{};
};

bool is_later(const Found& a, const Found& b) {
  return std::pair(a.written.tv_sec, a.written.tv_nsec) >
         std::pair(b.written.tv_sec, b.written.tv_nsec);
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

std::string default_status_folder() {
  const char* memory = "/dev/shm";
  return str(is_folder(memory) ? memory : "/tmp", "/systolic-", getuid());
}

Descriptor open_status_folder(const std::string& path, bool make) {
  if (make && mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    raise<Unavailable>({.what = str("cannot make the folder '", path, "'"),
                        .got = std::strerror(errno),
                        .hint = "SYSTOLIC_MONITOR=off runs without a monitor"});
  }
  Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.is_open() && errno == ENOENT) {
    raise<NotFound>({.what = str("there is no folder '", path, "'")});
  }
  struct stat found {};
  const bool ours = folder.is_open() && fstat(folder.number(), &found) == 0 &&
                    found.st_uid == getuid() && (found.st_mode & (S_IRWXG | S_IRWXO)) == 0;
  if (!ours) {
    raise<PermissionDenied>({.what = str("'", path, "' is not a folder of this user's alone"),
                             .wanted = "a folder of ours with mode 0700, no link",
                             .hint = "remove it"});
  }
  return folder;
}

std::vector<int64_t> processes_in(const std::string& path) {
  std::vector<Found> found;
  const Descriptor folder = open_status_folder(path, false);
  DIR* entries = fdopendir(dup(folder.number()));
  if (entries == nullptr) return {};
  while (const dirent* entry = readdir(entries)) {
    int64_t process = 0;
    struct stat about {};
    if (!parse_number(entry->d_name, process) || process <= 0) continue;
    if (fstatat(folder.number(), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0) continue;
    found.push_back({process, about.st_mtim});
  }
  closedir(entries);
  std::sort(found.begin(), found.end(), is_later);
  std::vector<int64_t> processes;
  for (const Found& one : found) processes.push_back(one.process);
  return processes;
}

}  // namespace monitor
}  // namespace systolic::inline v0
