#include <cstdlib>

#include "systolic/base/text.h"
#include "systolic/io/files/file.h"
#include "systolic/remote/remote_client.h"

namespace systolic::inline v0 {
namespace remote {
namespace {

// What the file that a variable names holds, without spaces around it; empty where it is not set.
std::string file_named_by(const char* variable) {
  const char* path = std::getenv(variable);
  if (path == nullptr || *path == '\0') return "";
  const std::string text = io::read_file(path);
  return std::string(trim(text));
}

}  // namespace

RemoteOptions options_from_environment() {
  RemoteOptions options;
  options.token = file_named_by("SYSTOLIC_TOKEN_FILE");
  options.authority = file_named_by("SYSTOLIC_TLS_AUTHORITY");
  return options;
}

}  // namespace remote
}  // namespace systolic::inline v0
