#include "systolic/datasets/fetch/download.h"

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/io/encoding/md5.h"
#include "systolic/io/encoding/sha256.h"
#include "systolic/io/files/file.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

constexpr size_t piece_bytes = size_t{1} << 22;

// The last part of an address, without what follows a "?".
std::string name_in(const std::string& url, SourceLocation location) {
  const std::string path = url.substr(0, url.find_first_of("?#"));
  const std::string name = path.substr(path.rfind('/') + 1);
  if (!name.empty() && name[0] != '.') return name;
  raise<InvalidArgument>({.what = str("'", url, "' names no file"), .location = location});
}

template <class Hash>
std::string digest_by(const std::string& path, SourceLocation location) {
  io::File file(path, location);
  Hash hash;
  std::string piece(piece_bytes, '\0');
  while (const size_t count = file.read(piece.data(), piece.size()))
    hash.add(std::string_view(piece).substr(0, count));
  return hash.digest();
}

constexpr size_t md5_digits = 32;

// What the file's digest is, of the kind that is wanted.
std::string digest_of(const std::string& path, const std::string& wanted, SourceLocation location) {
  if (wanted.empty()) return {};
  return wanted.size() == md5_digits ? digest_by<io::Md5>(path, location)
                                     : digest_by<io::Sha256>(path, location);
}

// Appends to `part` what the file has after that many bytes.
void fetch_rest(const std::string& url, const std::string& part, SourceLocation location) {
  const auto source = io::file_system(url, location).open(url, location);
  std::error_code unknown;
  uint64_t at = std::filesystem::file_size(part, unknown);
  const std::optional<uint64_t> size = source->size();
  const bool usable = !unknown && size && at <= *size;
  if (!usable) at = 0;
  std::ofstream to(part, usable ? std::ios::binary | std::ios::app : std::ios::binary);
  std::string piece(piece_bytes, '\0');
  for (;;) {
    const size_t count = source->read_at(at, piece.data(), piece.size());
    if (count == 0) break;
    if (!to.write(piece.data(), static_cast<std::streamsize>(count)).flush())
      io::raise_file_error("cannot write", part, errno, location);
    at += count;
  }
}

}  // namespace

std::string download(const Download& file, const std::string& folder, SourceLocation location) {
  const std::string path = str(folder, "/", name_in(file.url, location)), part = path + ".part";
  if (io::exists(path, location) && digest_of(path, file.digest, location) == file.digest)
    return path;
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) io::raise_file_error("cannot make the folder", folder, failed.value(), location);
  log_info(str("downloading ", file.url));
  fetch_rest(file.url, part, location);
  const std::string digest = digest_of(part, file.digest, location);
  if (digest != file.digest) {
    std::filesystem::remove(part, failed);
    raise<DataLoss>(
        {.what = str("'", file.url, "' is not the expected file"),
         .got = str(file.digest.size() == md5_digits ? "MD5 " : "SHA-256 ", digest),
         .wanted = file.digest,
         .hint = "the downloaded file was removed; try again, or put the file there by hand",
         .location = location});
  }
  std::filesystem::rename(part, path, failed);
  if (failed) io::raise_file_error("cannot rename", part, failed.value(), location);
  return path;
}

}  // namespace datasets
}  // namespace systolic::inline v0
