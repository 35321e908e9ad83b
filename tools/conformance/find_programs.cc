#include "tools/conformance/find_programs.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace tool {

using namespace systolic;
namespace fs = std::filesystem;

std::vector<fs::path> find_programs(const std::string& folder, const std::string& only,
                                    const std::vector<std::string_view>& endings) {
  if (!fs::is_directory(folder)) {
    const bool file = fs::exists(folder);
    raise<NotFound>({.what = str(file ? "'" : "there is no folder '", folder,
                                 file ? "' is a file, expected a folder" : "'"),
                     .hint = file ? "--only NAME runs one file of a folder" : ""});
  }
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const std::string ending = entry.path().extension().string();
    const bool program = std::find(endings.begin(), endings.end(), ending) != endings.end();
    if (program && entry.is_regular_file() &&
        entry.path().string().find(only) != std::string::npos) {
      files.push_back(entry.path());
    }
  }
  if (files.empty()) {
    raise<NotFound>({.what = str("no ", join(endings, " or "), " file lies in '", folder, "'",
                                 only.empty() ? "" : str(" with '", only, "' in its path"))});
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace tool
