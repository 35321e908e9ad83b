#include "systolic/saving/keras/file_checks.h"

#include <charconv>
#include <string_view>

#include "systolic/base/error.h"
#include "systolic/base/excerpt.h"
#include "systolic/base/log.h"

namespace systolic::inline v0 {
namespace saving {
namespace {

constexpr int known_keras = 3;

bool leaves_the_archive(std::string_view name) {
  if (name.starts_with('/')) return true;
  while (!name.empty()) {
    const size_t end = name.find('/');
    if (name.substr(0, end) == "..") return true;
    if (end == std::string_view::npos) break;
    name.remove_prefix(end + 1);
  }
  return false;
}

}  // namespace

void check_member_names(const io::ZipReader& archive, const std::string& path,
                        SourceLocation location) {
  for (const io::ZipReader::Member& member : archive.members()) {
    if (!leaves_the_archive(member.name)) continue;
    raise<DataLoss>({.what = str("'", path, "' has a member '", excerpt(member.name, 100),
                                 "', which lies outside of the archive"),
                     .hint = "the file was forged: do not unpack it",
                     .location = location});
  }
}

void warn_of_later_keras(const std::string& version, const std::string& path) {
  int major = 0;
  std::from_chars(version.data(), version.data() + version.size(), major);
  if (major <= known_keras) return;
  log_warning(str("load_model: '", path, "' was written by Keras ", excerpt(version, 20),
                  "; it is read as a file of Keras ", known_keras, "."));
}

}  // namespace saving
}  // namespace systolic::inline v0
