#include "systolic/train/sinks/appended_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "systolic/io/files/file.h"
#include "systolic/io/files/make_folder.h"

namespace systolic::inline v0 {

class AppendedFile::Local {
 public:
  Local(const std::string& path, bool keeps, SourceLocation location)
      : path_(path), location_(location) {
    constexpr int mode = 0666;  // less the process's mask
    io::make_folder_of(path, location);
    file_ =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (keeps ? O_APPEND : O_TRUNC), mode);
    if (file_ < 0) io::raise_file_error("cannot open", path, errno, location);
  }
  ~Local() { ::close(file_); }
  Local(const Local&) = delete;
  Local& operator=(const Local&) = delete;

  // What was written of them before it fails is cut off again.
  void append(std::string_view bytes) const {
    const off_t before = ::lseek(file_, 0, SEEK_END);
    while (!bytes.empty()) {
      const ssize_t count = ::write(file_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) {
        const int error = count == 0 ? ENOSPC : errno;
        [[maybe_unused]] const int cut = ::ftruncate(file_, before);
        io::raise_file_error("cannot write", path_, error, location_);
      }
      bytes.remove_prefix(static_cast<size_t>(count));
    }
  }

 private:
  const std::string path_;
  const SourceLocation location_;
  int file_ = -1;
};

void AppendedFile::append(const std::string& bytes) {
  if (!io::scheme_of(path_).empty()) return append_whole(bytes);
  if (local_ == nullptr) local_ = std::make_shared<Local>(path_, keeps_, location_);
  local_->append(bytes);
}

void AppendedFile::append_whole(const std::string& bytes) {
  const bool first = !std::exchange(begun_, true);
  if (first && keeps_ && io::exists(path_, location_)) whole_ = io::read_file(path_, location_);
  whole_ += bytes;
  io::write_file(path_, whole_, location_);
}

}  // namespace systolic::inline v0
