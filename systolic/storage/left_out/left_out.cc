// Replaces the folder where Systolic is built without libcurl or OpenSSL.
#include "systolic/base/error.h"
#include "systolic/io/files/file_system.h"
#include "systolic/storage/instance_attribute.h"

namespace systolic::inline v0 {
namespace io {

std::shared_ptr<FileSystem> open_remote_file_system(std::string_view scheme) {
  if (scheme != "gs" && scheme != "https" && scheme != "http") return nullptr;
  raise<Unimplemented>(
      {.what = str("this Systolic was built without ", scheme, "://"),
       .hint = "apt-get install libcurl4-openssl-dev libssl-dev, then configure and build again"});
}

}  // namespace io

namespace storage {

// A TPU VM's hosts are then told of each other by variables.
std::optional<std::string> instance_attribute(const std::string&, const std::string&) {
  return std::nullopt;
}

}  // namespace storage
}  // namespace systolic::inline v0
