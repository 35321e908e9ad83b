// Replaces the folder where Systolic is built without libcurl or OpenSSL.
#include "systolic/base/error.h"
#include "systolic/io/files/file_system.h"

namespace systolic::inline v0 {
namespace io {

std::shared_ptr<FileSystem> open_remote_file_system(std::string_view scheme) {
  if (scheme != "gs" && scheme != "https" && scheme != "http") return nullptr;
  raise<Unimplemented>(
      {.what = str("this Systolic was built without ", scheme, "://"),
       .hint = "apt-get install libcurl4-openssl-dev libssl-dev, then configure and build again"});
}

}  // namespace io
}  // namespace systolic::inline v0
