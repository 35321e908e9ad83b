#include "systolic/io/tensors/git_lfs.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace io {

void check_no_git_lfs_pointer(const std::string& path, std::string_view first,
                              SourceLocation location) {
  if (!first.starts_with("version ")) return;  // "version https://git-lfs.github.com/spec/v1"
  raise<InvalidArgument>({.what = str("'", path, "' is a Git LFS pointer"),
                          .wanted = "the file that it stands for",
                          .hint = "git lfs pull fetches it",
                          .location = location});
}

}  // namespace io
}  // namespace systolic::inline v0
