#include "systolic/io/files/scratch_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "systolic/base/error.h"
#include "systolic/base/standard_streams.h"
#include "systolic/io/files/local_file_system.h"

namespace systolic::inline v0 {
namespace io {

namespace {

// -1, and errno, where it cannot be made.
int open_without_name(const std::string& folder) {
  constexpr mode_t mine = S_IRUSR | S_IWUSR;
  const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mine);
  if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return descriptor;
  std::string path = folder + "/systolic-scratch-XXXXXX";
  const int named = ::mkostemp(path.data(), O_CLOEXEC);
  if (named < 0 || ::unlink(path.c_str()) == 0) return named;
  const int error = errno;
  ::close(named);
  errno = error;
  return -1;
}

}  // namespace

ScratchFile::ScratchFile(const std::string& folder, SourceLocation location)
    : folder_(folder), location_(location) {
  if (!scheme_of(folder).empty()) {
    raise<InvalidArgument>({.what = str("scratch files in '", folder, "'"),
                            .wanted = "a folder of a local disk",
                            .location = location});
  }
  descriptor_ = above_standard_streams(open_without_name(folder));
  if (descriptor_ < 0) raise_file_error("cannot make a file in", folder, errno, location);
}

ScratchFile::~ScratchFile() { ::close(descriptor_); }

void ScratchFile::write(const void* data, size_t size) {
  if (!write_all(descriptor_, data, size))
    raise_file_error("cannot write a file in", folder_, errno, location_);
  size_ += size;
}

std::shared_ptr<const MappedFile> ScratchFile::map() const {
  return MappedFile::of_descriptor(descriptor_, size_, folder_, location_);
}

}  // namespace io
}  // namespace systolic::inline v0
