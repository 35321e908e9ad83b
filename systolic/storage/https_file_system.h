// https://host/path and http://: files on a web server, to read. Ranges are read in parallel where
// the server has them, and an ETag or date that changes tells of another file; otherwise the whole
// file is kept in memory, up to a gigabyte.
#pragma once

#include <memory>

#include "systolic/io/files/file_system.h"
#include "systolic/storage/ranged_file.h"

namespace systolic::inline v0 {
namespace storage {

std::shared_ptr<io::FileSystem> https_file_system(RangeOptions options = {});

}  // namespace storage
}  // namespace systolic::inline v0
