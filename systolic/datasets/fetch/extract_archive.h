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
  // Archives may always unpack to 256 MiB, whatever the ratio.
  uint64_t max_ratio = 100;
};

bool is_archive(std::string_view path);

// Writes the files of an archive below `folder`, and only there. All names are checked before the
// first file is written: DataLoss, naming the member and before anything is written, for an
// absolute name, one with "..", a link, and a device. ResourceExhausted for more than the limits.
void extract_archive(const std::string& path, const std::string& folder,
                     const ExtractOptions& options = {},
                     SourceLocation location = SourceLocation::current());

}  // namespace datasets
}  // namespace systolic::inline v0
