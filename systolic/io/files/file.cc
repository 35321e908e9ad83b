#include "systolic/io/files/file.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/io/files/local_file_system.h"

namespace systolic::inline v0 {
namespace io {
namespace {

std::string working_directory_hint(std::string_view path) {
  std::error_code ignored;
  if (path.empty() || path.front() == '/' || !scheme_of(path).empty()) return "";
  return str("the path is relative to ", std::filesystem::current_path(ignored).string(), " of ",
             this_machine());
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
      if (report.hint.empty()) report.hint = str("files are opened by ", this_machine());
      raise<NotFound>(std::move(report));
    case EACCES:
    case EPERM:
    case EROFS:
      raise<PermissionDenied>(std::move(report));
    case EMFILE:
      report.hint =
          "`ulimit -n 4096` before the program lets it open more; or read fewer files at a time "
          "(num_parallel_reads, cycle_length)";
      raise<ResourceExhausted>(std::move(report));
    case ENOSPC:
    case EDQUOT:
      report.hint = "free space on the disk that holds it (df says which), or write elsewhere";
      raise<ResourceExhausted>(std::move(report));
    case EFBIG:
      report.hint =
          "`ulimit -f unlimited` before the program lifts the bound on files' sizes, "
          "where it is the shell's; smaller files (more shards) stay below it";
      raise<ResourceExhausted>(std::move(report));
    case ENFILE:
    case ENOMEM:
      raise<ResourceExhausted>(std::move(report));
    default:
      raise<Unavailable>(std::move(report));
  }
}

File::File(const std::string& path, SourceLocation location)
    : file_(file_system(path, location).open(path, location)) {}

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path,
                                                   SourceLocation location) {
  if (!scheme_of(path).empty()) {
    std::shared_ptr<MappedFile> result(new MappedFile);
    result->content_ = read_file(path, location);
    result->data_ = reinterpret_cast<const std::byte*>(result->content_.data());
    result->size_ = result->content_.size();
    return result;
  }
  check_regular_file(path, location);
  const LocalFile file(path, location);
  return of_descriptor(file.descriptor(), static_cast<size_t>(file.size().value_or(0)), path,
                       location);
}

std::shared_ptr<const MappedFile> MappedFile::of_descriptor(int descriptor, size_t size,
                                                            const std::string& path,
                                                            SourceLocation location) {
  std::shared_ptr<MappedFile> result(new MappedFile);
  if (size == 0) return result;
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (memory == MAP_FAILED) raise_file_error("cannot map", path, errno, location);
  result->data_ = static_cast<const std::byte*>(memory);
  result->size_ = size;
  return result;
}

MappedFile::~MappedFile() {
  if (size_ > 0 && content_.empty()) ::munmap(const_cast<std::byte*>(data_), size_);
}

bool exists(const std::string& path, SourceLocation location) {
  return file_system(path, location).status(path, location).has_value();
}

std::string read_file(const Literal& path, SourceLocation location) {
  if (path.dtype() != DType::string || path.size() != 1) {
    raise<InvalidArgument>({.what = str("read_file of ", path.dtype(), path.shape()),
                            .wanted = "one path",
                            .location = location});
  }
  return read_file(std::string(path.bytes()), location);
}

std::string read_file(const std::string& path, SourceLocation location) {
  constexpr uint64_t least_piece = 1 << 16;
  const uint64_t most_believed = uint64_t{1} << (scheme_of(path).empty() ? 30 : 24);
  File file(path, location);
  const uint64_t size = file.size();
  std::string bytes;
  // A server may claim any size: memory grows with what really comes.
  bytes.reserve(std::min(size, most_believed));
  // Past its size too: a pipe has none, and a file may have grown.
  for (;;) {
    const size_t before = bytes.size();
    const uint64_t remaining = size > before ? size - before : 0;
    const size_t piece = std::clamp(remaining, least_piece, most_believed);
    bytes.resize(before + piece);
    const size_t count = file.read(bytes.data() + before, piece);
    bytes.resize(before + count);
    if (count < piece) return bytes;
  }
}

AtomicFile::AtomicFile(const std::string& path, SourceLocation location)
    : file_(file_system(path, location).create(path, location)) {}

void write_file(const std::string& path, std::string_view bytes, SourceLocation location) {
  AtomicFile file(path, location);
  file.write(bytes);
  file.commit();
}

std::vector<std::string> glob(const std::string& pattern, SourceLocation location) {
  FileSystem& files = file_system(pattern, location);
  std::vector<std::string> paths = files.glob(pattern, location);
  if (!paths.empty()) return paths;
  constexpr size_t most_named = 5;
  const size_t slash = pattern.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : pattern.substr(0, slash);
  std::vector<std::string> names;
  // A pattern in the folder's own name: there is no one folder to look into.
  if (folder.find_first_of("*?[") == std::string::npos) {
    names = files.list(folder, most_named, location);
  }
  raise<NotFound>({.what = str("no file matches '", pattern, "'"),
                   .got = names.empty() ? str("an empty or missing folder '", folder, "'")
                                        : str("a folder with ", join(names)),
                   .hint = working_directory_hint(pattern),
                   .location = location});
}

}  // namespace io
}  // namespace systolic::inline v0
