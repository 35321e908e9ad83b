#include "systolic/datasets/forms/class_folders.h"

#include <algorithm>

#include "systolic/base/ascii.h"
#include "systolic/base/error.h"
#include "systolic/image/codecs/format.h"
#include "systolic/io/files/file.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

constexpr size_t most_names = 10'000'000;

bool is_picture(const std::string& name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string::npos || name[0] == '.') return false;
  std::string ending = name.substr(dot + 1);
  std::transform(ending.begin(), ending.end(), ending.begin(), ascii_lower);
  for (const char* known : {"jpg", "jpeg", "png", "gif", "bmp", "webp"}) {
    if (ending == known) return true;
  }
  return false;
}

}  // namespace

ClassFolders list_class_folders(const std::string& folder, SourceLocation location) {
  io::FileSystem& files = io::file_system(folder, location);
  ClassFolders found;
  for (const std::string& name : files.list(folder, most_names, location)) {
    if (name[0] == '.') continue;
    const std::string class_folder = str(folder, "/", name);
    const auto label = static_cast<int64_t>(found.classes.size());
    const size_t before = found.files.size();
    for (const std::string& file : files.list(class_folder, most_names, location)) {
      if (is_picture(file)) found.files.push_back({str(class_folder, "/", file), label});
    }
    if (found.files.size() > before) found.classes.push_back(name);
  }
  return found;
}

std::string read_picture_file(const std::string& path, SourceLocation location) {
  std::string bytes = io::read_file(path, location);
  if (image::format_of(bytes) != image::Format::unknown) return bytes;
  image::NoPicture other = image::what_else(bytes);
  raise<InvalidArgument>({.what = str("'", path, "' is not a picture"),
                          .got = std::move(other.is),
                          .wanted = "a JPEG, PNG, GIF, BMP or WebP image",
                          .hint = std::move(other.remedy),
                          .location = location});
}

}  // namespace datasets
}  // namespace systolic::inline v0
