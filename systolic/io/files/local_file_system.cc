#include "systolic/io/files/local_file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/base/standard_streams.h"
#include "systolic/io/files/durable_names.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/temporary_file.h"

namespace systolic::inline v0 {
namespace io {
namespace {

// Bytes that come to an end: those of a directory or a device such as /dev/zero do not.
bool has_an_end(mode_t mode) { return !S_ISDIR(mode) && !S_ISCHR(mode); }

const char* kind_of_file(mode_t mode) {
  return S_ISDIR(mode)    ? "a directory"
         : S_ISFIFO(mode) ? "a pipe"
         : S_ISSOCK(mode) ? "a socket"
                          : "a device";
}

[[noreturn]] void raise_no_file(const std::string& path, mode_t mode, SourceLocation location) {
  std::string hint;
  if (S_ISDIR(mode)) hint = str("list its files with io::glob(\"", path, "/*\")");
  if (S_ISFIFO(mode)) hint = "write what comes through it to a file first";
  raise<InvalidArgument>({.what = str("'", path, "' is ", kind_of_file(mode)),
                          .wanted = "a file",
                          .hint = hint,
                          .location = location});
}

// A new file replaces an old one, but not a directory, a device or a pipe.
void check_replaceable(const std::string& path, SourceLocation location) {
  struct stat status {};
  if (path.empty()) {
    raise<InvalidArgument>(
        {.what = "the path is empty", .wanted = "the name of a file", .location = location});
  }
  if (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return;
  raise<InvalidArgument>({.what = str("'", path, "' exists and is not a regular file"),
                          .wanted = "the name of a file to write",
                          .location = location});
}

// Opening a pipe would wait for its writer without a word. This waits for the first byte, or for
// the writer's end, and says so after some seconds.
void wait_for_writer(int descriptor, const std::string& path) {
  constexpr int milliseconds = 3000;
  bool said = false;
  for (;;) {
    struct pollfd one {
      .fd = descriptor, .events = POLLIN, .revents = 0
    };
    const int ready = ::poll(&one, 1, said ? -1 : milliseconds);
    if (ready > 0) break;
    if (ready == 0) log_info(str("waiting for somebody to write to the pipe '", path, "'"));
    if (ready < 0 && errno != EINTR) raise_file_error("cannot wait for", path, errno);
    said = said || ready == 0;
  }
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0 || ::fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) < 0)
    raise_file_error("cannot read", path, errno);
}

// read(2) or pread(2) until `size` bytes came or the file ended.
template <class Read>
size_t read_fully(const std::string& path, void* buffer, size_t size, const Read& read) {
  size_t done = 0;
  while (done < size) {
    const ssize_t count = read(static_cast<char*>(buffer) + done, size - done, done);
    if (count == 0) break;
    if (count > 0) {
      done += static_cast<size_t>(count);
    } else if (errno != EINTR) {
      raise_file_error("cannot read", path, errno);
    }
  }
  return done;
}

// Written under a temporary name beside the final one.
class LocalWritableFile : public WritableFile {
 public:
  LocalWritableFile(const std::string& path, SourceLocation location)
      : path_(path), final_(without_links(path, location)) {
    check_replaceable(path_, location);
    temporary_ = open_temporary_file(final_);
    if (temporary_.descriptor < 0) raise_not_created(errno, location);
  }
  ~LocalWritableFile() override {
    if (temporary_.descriptor < 0) return;
    ::unlink(temporary_.path.c_str());
    ::close(temporary_.descriptor);
  }
  LocalWritableFile(const LocalWritableFile&) = delete;
  LocalWritableFile& operator=(const LocalWritableFile&) = delete;

  const std::string& path() const override { return path_; }

  void write(const void* data, size_t size) override {
    check_open();
    if (!write_all(temporary_.descriptor, data, size))
      raise_file_error("cannot write", path_, errno);
  }

  void commit() override {
    check_open();
    // The name must not appear before the bytes are safe.
    if (::fsync(temporary_.descriptor) != 0 && errno != EINVAL) {
      raise_file_error("cannot flush", path_, errno);
    }
    if (::rename(temporary_.path.c_str(), final_.c_str()) != 0) {
      raise_file_error("cannot rename the new file to", path_, errno);
    }
    if (::close(std::exchange(temporary_.descriptor, -1)) != 0) {
      raise_file_error("cannot close", path_, errno);
    }
    sync_folder_of(final_);
  }

 private:
  [[noreturn]] void raise_not_created(int error, SourceLocation location) const {
    const size_t slash = path_.rfind('/');
    if (error != ENOENT || slash == std::string::npos)
      raise_file_error("cannot create", path_, error, location);
    const std::string folder = path_.substr(0, slash);
    raise<NotFound>({.what = str("cannot create '", path_, "': there is no folder '", folder, "'"),
                     .hint = str("`mkdir -p '", folder, "'` on ", this_machine(), " makes it"),
                     .location = location});
  }
  void check_open() const {
    if (temporary_.descriptor < 0) {
      raise<FailedPrecondition>({.what = str("'", path_, "' is closed already")});
    }
  }
  std::string path_;
  std::string final_;  // what gets the bytes where the path is a symbolic link, which stays
  TemporaryFile temporary_;
};

class LocalFileSystem : public FileSystem {
 public:
  std::unique_ptr<ReadableFile> open(const std::string& path, SourceLocation location) override {
    return std::make_unique<LocalFile>(path, location);
  }
  std::unique_ptr<WritableFile> create(const std::string& path, SourceLocation location) override {
    return std::make_unique<LocalWritableFile>(path, location);
  }

  std::optional<FileStatus> status(const std::string& path, SourceLocation location) override {
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0) {
      constexpr int64_t nanoseconds = 1'000'000'000;
      return FileStatus{
          .bytes = S_ISREG(status.st_mode) ? static_cast<uint64_t>(status.st_size) : 0,
          .generation = nanoseconds * status.st_mtim.tv_sec + status.st_mtim.tv_nsec,
          .folder = S_ISDIR(status.st_mode)};
    }
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    raise_file_error("cannot inspect", path, errno, location);
  }

  std::vector<std::string> glob(const std::string& pattern, SourceLocation location) override {
    glob_t found{};
    const int status = ::glob(pattern.c_str(), GLOB_ERR, nullptr, &found);
    const int error = errno;
    std::vector<std::string> paths(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
    if (status == GLOB_ABORTED) raise_file_error("cannot list", pattern, error, location);
    std::sort(paths.begin(), paths.end());
    return paths;
  }

  std::vector<std::string> list(const std::string& folder, size_t most,
                                SourceLocation location) override {
    DIR* directory = ::opendir(folder.empty() ? "." : folder.c_str());
    if (directory == nullptr && (errno == ENOENT || errno == ENOTDIR)) return {};
    if (directory == nullptr) raise_file_error("cannot list", folder, errno, location);
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(directory)) {
      const std::string name = entry->d_name;
      if (name != "." && name != "..") names.push_back(name);
    }
    ::closedir(directory);
    std::sort(names.begin(), names.end());
    names.resize(std::min(names.size(), most));
    return names;
  }

  void remove(const std::string& path, SourceLocation location) override {
    if (::unlink(path.c_str()) != 0) raise_file_error("cannot remove", path, errno, location);
  }
  void rename(const std::string& from, const std::string& to, SourceLocation location) override {
    if (::rename(from.c_str(), to.c_str()) != 0) {
      raise_file_error(str("cannot rename to '", to, "' the file"), from, errno, location);
    }
    sync_folder_of(to, location);
  }
};

}  // namespace

bool write_all(int descriptor, const void* data, size_t size) {
  const auto* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t count = ::write(descriptor, bytes, size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

LocalFile::LocalFile(const std::string& path, SourceLocation location) : path_(path) {
  descriptor_ = above_standard_streams(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (descriptor_ < 0) raise_file_error("cannot open", path, errno, location);
  struct stat status {};
  const bool known = ::fstat(descriptor_, &status) == 0;
  if (!known || !has_an_end(status.st_mode)) {
    const int error = errno;
    ::close(std::exchange(descriptor_, -1));
    if (!known) raise_file_error("cannot inspect", path, error, location);
    raise_no_file(path, status.st_mode, location);
  }
  if (S_ISREG(status.st_mode)) size_ = static_cast<uint64_t>(status.st_size);
  if (!S_ISFIFO(status.st_mode)) return;
  try {
    wait_for_writer(descriptor_, path);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

LocalFile::~LocalFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

size_t LocalFile::read(void* buffer, size_t size) {
  return read_fully(path_, buffer, size, [this](char* place, size_t count, size_t) {
    return ::read(descriptor_, place, count);
  });
}

size_t LocalFile::read_at(uint64_t offset, void* buffer, size_t size) {
  return read_fully(path_, buffer, size, [&](char* place, size_t count, size_t done) {
    return ::pread(descriptor_, place, count, static_cast<off_t>(offset + done));
  });
}

void check_regular_file(const std::string& path, SourceLocation location) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return;
  raise_no_file(path, status.st_mode, location);
}

FileSystem& local_file_system() {
  static LocalFileSystem file_system;
  return file_system;
}

}  // namespace io
}  // namespace systolic::inline v0
