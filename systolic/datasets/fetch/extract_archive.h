// Unpacks .zip, .tar, .tgz and .tar.gz files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {
namespace datasets {

struct ExtractOptions {
  uint64_t max_bytes = uint64_t{1} << 38;  // of all files together
  uint64_t max_files = 20'000'000;
  // What is unpacked from fewer bytes is refused once it is more than 256 MiB.
  uint64_t max_ratio = 100;
};

bool is_archive(std::string_view path);

// Writes the files of an archive below `folder`, and only there. All names are checked before the
// first file is written: an absolute one, one with "..", a link, and a device are a DataLoss that
// names the member, and nothing is written. More than the limits is a ResourceExhausted.
void extract_archive(const std::string& path, const std::string& folder,
                     const ExtractOptions& options = {},
                     SourceLocation location = SourceLocation::current());

}  // namespace datasets
}  // namespace systolic::inline v0
