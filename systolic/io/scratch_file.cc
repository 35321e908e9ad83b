#include "systolic/io/scratch_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>

#include "systolic/base/error.h"
#include "systolic/base/standard_streams.h"
#include "systolic/io/local_file_system.h"

namespace systolic::inline v0 {
namespace io {

ScratchFile::ScratchFile(const std::string& folder, SourceLocation location)
    : folder_(folder), location_(location) {
  if (!scheme_of(folder).empty()) {
    raise<InvalidArgument>({.what = str("scratch files in '", folder, "'"),
                            .wanted = "a folder of a local disk",
                            .location = location});
  }
  std::string path = folder + "/systolic-scratch-XXXXXX";
  descriptor_ = above_standard_streams(::mkostemp(path.data(), O_CLOEXEC));
  if (descriptor_ < 0) raise_file_error("cannot make a file in", folder, errno, location);
  ::unlink(path.c_str());
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
