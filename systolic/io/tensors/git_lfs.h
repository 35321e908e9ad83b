// Files that a Git repository holds in the place of large ones.
#pragma once

#include <string>
#include <string_view>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {
namespace io {

// A pointer of Git LFS, whose file was not fetched, is an InvalidArgument that says how to. `first`
// are the file's first bytes, eight at least.
void want_no_git_lfs_pointer(const std::string& path, std::string_view first,
                             SourceLocation location);

}  // namespace io
}  // namespace systolic::inline v0
