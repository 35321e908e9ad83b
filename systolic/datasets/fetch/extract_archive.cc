#include "systolic/datasets/fetch/extract_archive.h"

#include <algorithm>
#include <filesystem>
#include <functional>

#include "systolic/base/error.h"
#include "systolic/datasets/fetch/tar_reader.h"
#include "systolic/io/archive/zip.h"
#include "systolic/io/files/file.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t surely_fine = uint64_t{1} << 28;

bool is_zip(std::string_view path) { return path.ends_with(".zip"); }

// Counts what an archive says it holds, against the limits.
class Budget {
 public:
  Budget(const std::string& path, const ExtractOptions& options)
      : path_(path),
        options_(options),
        packed_(io::file_system(path).status(path).value_or(io::FileStatus{}).bytes) {}

  void add(uint64_t bytes) {
    ++files_;
    const bool overflow = __builtin_add_overflow(bytes_, bytes, &bytes_);
    const bool ratio = bytes_ > surely_fine && bytes_ / options_.max_ratio > packed_;
    if (!overflow && !ratio && bytes_ <= options_.max_bytes && files_ <= options_.max_files) return;
    raise<ResourceExhausted>(
        {.what = str("'", path_, "' of ", packed_, " bytes unpacks to more than ", bytes_,
                     " bytes in ", files_, " files"),
         .wanted = str("at most ", options_.max_bytes, " bytes in ", options_.max_files,
                       " files, and ", options_.max_ratio, " times what it is packed")});
  }

 private:
  const std::string& path_;
  const ExtractOptions& options_;
  const uint64_t packed_;
  uint64_t bytes_ = 0, files_ = 0;
};

// Names that lead out of the folder, whatever the system takes for a separator.
void check_name(const std::string& archive, std::string_view name) {
  const bool odd = name.empty() || name[0] == '/' || name.find('\\') != std::string_view::npos ||
                   name.find('\0') != std::string_view::npos || name.size() > 4096;
  const std::vector<std::string> parts = split(name, '/');
  const bool up = std::find(parts.begin(), parts.end(), "..") != parts.end();
  if (!odd && !up) return;
  raise<DataLoss>({.what = str("'", archive, "' has a member named '", name.substr(0, 200), "'"),
                   .wanted = "names below the folder it is unpacked into",
                   .hint = "the archive is damaged or hostile; nothing was written"});
}

std::string place(const std::string& folder, std::string_view name) {
  std::string path = str(folder, "/", name);
  std::error_code failed;
  fs::create_directories(fs::path(path).parent_path(), failed);
  if (failed) io::raise_file_error("cannot make the folder of", path, failed.value());
  return path;
}

void extract_zip(const std::string& path, const std::string& folder, const ExtractOptions& options,
                 SourceLocation location) {
  const io::ZipReader archive(std::make_shared<const io::FileBytes>(path, location), path);
  Budget budget(path, options);
  for (const auto& member : archive.members()) {
    check_name(path, member.name);
    budget.add(member.bytes);
    if (!member.special) continue;
    raise<DataLoss>({.what = str("'", path, "': member '", member.name, "' is a link or a device"),
                     .wanted = "a ZIP archive of folders and ordinary files",
                     .location = location});
  }
  for (const auto& member : archive.members()) {
    if (member.name.back() == '/') continue;
    io::write_file(place(folder, member.name), archive.extract(member).bytes, location);
  }
}

void extract_tar(const std::string& path, const std::string& folder, const ExtractOptions& options,
                 SourceLocation location) {
  {
    Budget budget(path, options);
    TarReader names(path, location);
    while (const auto member = names.next()) {
      check_name(path, member->name);
      budget.add(member->bytes);
      names.skip();
    }
  }
  TarReader archive(path, location);
  while (const auto member = archive.next()) {
    if (member->folder) continue;
    io::AtomicFile file(place(folder, member->name), location);
    archive.copy([&](std::string_view bytes) { file.write(bytes); });
    file.commit();
  }
}

}  // namespace

bool is_archive(std::string_view path) {
  return is_zip(path) || path.ends_with(".tar") || path.ends_with(".tgz") ||
         path.ends_with(".tar.gz");
}

void extract_archive(const std::string& path, const std::string& folder,
                     const ExtractOptions& options, SourceLocation location) {
  if (is_zip(path)) {
    extract_zip(path, folder, options, location);
  } else {
    extract_tar(path, folder, options, location);
  }
}

}  // namespace datasets
}  // namespace systolic::inline v0
