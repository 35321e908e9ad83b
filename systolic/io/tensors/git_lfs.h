// Files that stand in for large ones in a Git repository.
#pragma once

#include <string>
#include <string_view>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {
namespace io {

// InvalidArgument for a Git LFS pointer whose file was not fetched, saying how to fetch it. `first`
// are the file's first bytes, eight at least.
void check_no_git_lfs_pointer(const std::string& path, std::string_view first,
                              SourceLocation location);

}  // namespace io
}  // namespace systolic::inline v0
