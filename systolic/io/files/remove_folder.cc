#include "systolic/io/files/remove_folder.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "systolic/io/files/durable_names.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/file_system.h"

namespace systolic::inline v0 {
namespace io {

void remove_folder(const std::string& folder, const std::string& first, SourceLocation location) {
  constexpr size_t most_names = 1'000'000;
  FileSystem& files = file_system(folder, location);
  std::vector<std::string> names = files.list(folder, most_names, location);
  std::stable_partition(names.begin(), names.end(),
                        [&](const std::string& name) { return name == first; });
  for (const std::string& name : names) {
    const std::string path = folder + "/" + name;
    const auto status = files.status(path, location);
    if (!status || status->folder) continue;
    files.remove(path, location);
    if (name == first) sync_folder_of(path, location);
  }
  if (!scheme_of(folder).empty() || ::rmdir(folder.c_str()) == 0) return;
  if (errno != ENOENT && errno != ENOTEMPTY && errno != EEXIST)
    raise_file_error("cannot remove the folder", folder, errno, location);
}

}  // namespace io
}  // namespace systolic::inline v0
