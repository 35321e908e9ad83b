#include "systolic/io/file.h"

#include <fcntl.h>
#include <glob.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace io {
namespace {

std::string working_directory_hint(std::string_view path) {
  std::error_code ignored;
  if (path.empty() || path.front() == '/') return "";
  return str("the path is relative to ", std::filesystem::current_path(ignored).string());
}

void check_scheme(const std::string& path, SourceLocation location) {
  const size_t colon = path.find("://");
  if (colon == std::string::npos) return;
  raise<Unimplemented>(
      {.what = str("'", path, "': files of ", path.substr(0, colon), ":// cannot be opened"),
       .wanted = "a path on the local disk",
       .hint = "copy the files to this machine first",
       .location = location});
}

// Bytes that come to an end: what a directory or a device such as /dev/zero holds does not.
bool has_an_end(mode_t mode) { return !S_ISDIR(mode) && !S_ISCHR(mode); }

[[noreturn]] void raise_no_file(const std::string& path, mode_t mode, SourceLocation location) {
  const bool directory = S_ISDIR(mode);
  raise<InvalidArgument>(
      {.what = str("'", path, directory ? "' is a directory" : "' is a device"),
       .wanted = "a file",
       .hint = directory ? str("list its files with io::glob(\"", path, "/*\")") : "",
       .location = location});
}

// A new file takes the place of an old one, but not of a directory, a device or a pipe.
void check_replaceable(const std::string& path, SourceLocation location) {
  struct stat status {};
  if (path.empty()) {
    raise<InvalidArgument>(
        {.what = "the path is empty", .wanted = "the name of a file", .location = location});
  }
  if (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return;
  raise<InvalidArgument>({.what = str("'", path, "' is there, and is no regular file"),
                          .wanted = "the name of a file to write",
                          .location = location});
}

}  // namespace

void raise_file_error(std::string_view what, std::string_view path, int error_number,
                      SourceLocation location) {
  ErrorReport report{
      .what = str(what, " '", path, "': ", std::generic_category().message(error_number)),
      .location = location};
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      report.hint = working_directory_hint(path);
      raise<NotFound>(std::move(report));
    case EACCES:
    case EPERM:
    case EROFS:
      raise<PermissionDenied>(std::move(report));
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      raise<ResourceExhausted>(std::move(report));
    default:
      raise<Unavailable>(std::move(report));
  }
}

File::File(const std::string& path, SourceLocation location) : path_(path) {
  check_scheme(path, location);
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) raise_file_error("cannot open", path, errno, location);
  struct stat status {};
  const bool known = ::fstat(descriptor_, &status) == 0;
  if (!known || !has_an_end(status.st_mode)) {
    ::close(std::exchange(descriptor_, -1));
    if (!known) raise_file_error("cannot inspect", path, errno, location);
    raise_no_file(path, status.st_mode, location);
  }
  regular_ = S_ISREG(status.st_mode);
  if (regular_) size_ = static_cast<uint64_t>(status.st_size);
}

File::File(File&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_),
      regular_(other.regular_) {}

File& File::operator=(File&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  std::swap(regular_, other.regular_);
  return *this;
}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

size_t File::read(void* buffer, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t count = ::read(descriptor_, static_cast<char*>(buffer) + done, size - done);
    if (count == 0) break;
    if (count > 0) {
      done += static_cast<size_t>(count);
    } else if (errno != EINTR) {
      raise_file_error("cannot read", path_, errno);
    }
  }
  return done;
}

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path,
                                                   SourceLocation location) {
  const File file(path, location);
  std::shared_ptr<MappedFile> result(new MappedFile);
  result->size_ = static_cast<size_t>(file.size());
  if (result->size_ == 0) return result;
  void* memory = ::mmap(nullptr, result->size_, PROT_READ, MAP_PRIVATE, file.descriptor_, 0);
  if (memory == MAP_FAILED) {
    result->size_ = 0;
    raise_file_error("cannot map", path, errno, location);
  }
  result->data_ = static_cast<const std::byte*>(memory);
  return result;
}

MappedFile::~MappedFile() {
  if (size_ > 0) ::munmap(const_cast<std::byte*>(data_), size_);
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

std::string read_file(const std::string& path, SourceLocation location) {
  File file(path, location);
  std::string bytes(file.size(), '\0');
  bytes.resize(file.read(bytes.data(), bytes.size()));
  // A pipe, or a file that grew: read on to its end.
  for (constexpr size_t piece = 1 << 16;;) {
    const size_t before = bytes.size();
    bytes.resize(before + piece);
    const size_t count = file.read(bytes.data() + before, piece);
    bytes.resize(before + count);
    if (count < piece) return bytes;
  }
}

AtomicFile::AtomicFile(std::string path, SourceLocation location) : path_(std::move(path)) {
  static std::atomic<int> serial{0};
  check_scheme(path_, location);
  check_replaceable(path_, location);
  temporary_path_ = str(path_, ".tmp-", ::getpid(), "-", ++serial);
  descriptor_ = ::open(temporary_path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor_ < 0) raise_file_error("cannot create", path_, errno, location);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_path_.c_str());
}

void AtomicFile::write(const void* data, size_t size) {
  if (descriptor_ < 0) raise<FailedPrecondition>({.what = str("'", path_, "' is closed already")});
  const auto* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t count = ::write(descriptor_, bytes, size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) raise_file_error("cannot write", path_, errno);
    bytes += count;
    size -= static_cast<size_t>(count);
  }
}

void AtomicFile::commit() {
  if (descriptor_ < 0) raise<FailedPrecondition>({.what = str("'", path_, "' is closed already")});
  // The name must not appear before the bytes are safe.
  if (::fsync(descriptor_) != 0 && errno != EINVAL) raise_file_error("cannot flush", path_, errno);
  if (::rename(temporary_path_.c_str(), path_.c_str()) != 0) {
    raise_file_error("cannot rename the new file to", path_, errno);
  }
  if (::close(std::exchange(descriptor_, -1)) != 0) raise_file_error("cannot close", path_, errno);
}

void write_file(const std::string& path, std::string_view bytes, SourceLocation location) {
  AtomicFile file(path, location);
  file.write(bytes);
  file.commit();
}

std::vector<std::string> glob(const std::string& pattern, SourceLocation location) {
  check_scheme(pattern, location);
  glob_t found{};
  const int status = ::glob(pattern.c_str(), GLOB_ERR, nullptr, &found);
  std::vector<std::string> paths(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (status == GLOB_ABORTED) raise_file_error("cannot list", pattern, errno, location);
  if (!paths.empty()) {
    std::sort(paths.begin(), paths.end());
    return paths;
  }
  const std::filesystem::path folder = std::filesystem::path(pattern).parent_path();
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder.empty() ? "." : folder, ignored)) {
    if (names.size() < 5) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  raise<NotFound>({.what = str("no file matches '", pattern, "'"),
                   .got = names.empty() ? str("an empty or missing folder '", folder.string(), "'")
                                        : str("a folder with ", join(names)),
                   .hint = working_directory_hint(pattern),
                   .location = location});
}

}  // namespace io
}  // namespace systolic::inline v0
