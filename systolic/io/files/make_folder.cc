#include "systolic/io/files/make_folder.h"

#include <filesystem>
#include <system_error>
#include <vector>

#include "systolic/io/files/durable_names.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/file_system.h"

namespace systolic::inline v0 {
namespace io {

void make_folder(const std::string& path, SourceLocation location) {
  if (!scheme_of(path).empty()) {
    file_system(path, location);
    return;
  }
  std::error_code error, ignored;
  std::vector<std::string> made;
  for (std::filesystem::path one = path; !one.empty() && !std::filesystem::exists(one, ignored);
       one = one.parent_path())
    made.push_back(one.string());
  std::filesystem::create_directories(path, error);
  if (error) raise_file_error("cannot make the folder", path, error.value(), location);
  for (const std::string& one : made) sync_folder_of(one, location);
}

void make_folder_of(const std::string& file, SourceLocation location) {
  const size_t slash = file.rfind('/');
  if (slash != std::string::npos && slash > 0) make_folder(file.substr(0, slash), location);
}

}  // namespace io
}  // namespace systolic::inline v0
