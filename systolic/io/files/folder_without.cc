#include "systolic/io/files/folder_without.h"

#include <filesystem>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"

namespace systolic::inline v0 {
namespace io {

void raise_folder_without(const char* what, const std::string& folder, const std::string& wanted,
                          SourceLocation location) {
  std::error_code none;
  const bool is_file = std::filesystem::is_regular_file(folder, none);  // a local one
  const bool is_there = exists(folder, location);
  raise<NotFound>(
      {.what = str("no ", what, " in '", folder, "'"),
       .got = is_file    ? "a file"
              : is_there ? "a folder without one"
                         : "nothing of that name",
       .wanted = wanted,
       .hint = is_file    ? "name the folder that it lies in"
               : is_there ? ""
                          : "a model that is known by its name only has to be downloaded first",
       .location = location});
}

}  // namespace io
}  // namespace systolic::inline v0
