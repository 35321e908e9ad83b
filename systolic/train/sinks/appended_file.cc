#include "systolic/train/sinks/appended_file.h"

#include <cerrno>
#include <utility>

#include "systolic/io/files/file.h"
#include "systolic/io/files/make_folder.h"

namespace systolic::inline v0 {

void AppendedFile::append(const std::string& bytes) {
  const bool first = !std::exchange(begun_, true);
  if (!io::scheme_of(path_).empty()) {
    if (first && keeps_ && io::exists(path_, location_)) whole_ = io::read_file(path_, location_);
    whole_ += bytes;
    io::write_file(path_, whole_, location_);
    return;
  }
  if (file_ == nullptr) open_local();
  errno = 0;
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) == bytes.size() &&
                       std::fflush(file_.get()) == 0;
  if (!written) io::raise_file_error("cannot write", path_, errno, location_);
}

void AppendedFile::open_local() {
  io::make_folder_of(path_, location_);
  file_.reset(std::fopen(path_.c_str(), keeps_ ? "abe" : "wbe"));
  if (file_ == nullptr) io::raise_file_error("cannot open", path_, errno, location_);
}

}  // namespace systolic::inline v0
